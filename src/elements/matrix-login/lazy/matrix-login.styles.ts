import { css, type CSSResult } from "lit";

export const matrixLoginStyles: CSSResult = css`
  .form,
  .methods {
    display: grid;
    gap: calc(var(--_gap) * 1.5);
  }
  .form {
    max-inline-size: var(--matrix-login-inline-size, 24em);
  }
  .field {
    display: grid;
    gap: 0.375em;
  }
  .field label {
    font-weight: 600;
  }
  .field input {
    box-sizing: border-box;
    inline-size: 100%;
    min-block-size: 2.75em;
    padding: 0.5em 0.75em;
    font: inherit;
    color: FieldText;
    background: Field;
    border: 1px solid color-mix(in srgb, currentcolor 55%, transparent);
    border-radius: var(--_radius);
  }
  .server-name {
    font-weight: 600;
  }
  .divider {
    display: flex;
    align-items: center;
    gap: 1em;
  }
  .divider::before,
  .divider::after {
    content: "";
    flex: 1;
    border-block-start: 1px solid color-mix(in srgb, currentcolor 25%, transparent);
  }
  .notice {
    display: flex;
    align-items: center;
    gap: var(--_gap);
  }
  [hidden] {
    display: none;
  }
`;
