import { css, type CSSResult } from "lit";

/** The content of a panel: a link that looks like a button, a focused text, and the text after success. */
export const contentStyles: CSSResult = css`
  .button {
    box-sizing: border-box;
    text-align: center;
    text-decoration: none;
  }
  [role="status"]:focus {
    outline: none;
  }
  /* A live region stays in the page while it contains no visible element, but takes no space. */
  [role]:not(:has(> :not(.visually-hidden))) {
    position: absolute;
  }
  .done {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.625em;
    align-items: start;
  }
  .done::before {
    /* Firefox before 128 takes no alternative text: https://developer.mozilla.org/docs/Web/CSS/content */
    content: "✓";
    content: "✓" / "";
    box-sizing: border-box;
    inline-size: 1.4em;
    block-size: 1.4em;
    border: 0.125em solid;
    border-radius: 50%;
    color: var(--auth-success-color, var(--_link));
    font-weight: 700;
    line-height: 1.15;
    text-align: center;
  }
  /* A background behind texts would cover the ring. */
  @media (forced-colors: active) {
    .done::before {
      forced-color-adjust: none;
      color: CanvasText;
    }
  }
`;

/**
 * The color of links, a pressed button, and text for screen readers only. That text must not wrap,
 * because some screen readers would then join the words.
 */
export const controlStyles: CSSResult = css`
  /* As a text, a color is dark enough for a light panel, and light enough for a dark one. */
  :host {
    --_link: var(
      --auth-link-color,
      light-dark(
        oklch(from var(--_accent) min(l, 0.5) c h),
        oklch(from var(--_accent) max(l, 0.72) c h)
      )
    );
  }
  :is(button, .button):active:not(:disabled, [aria-disabled]) {
    filter: brightness(0.75);
  }
  .visually-hidden {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
    -webkit-user-select: none;
    user-select: none;
  }
`;

/** The colors of destructive buttons, with and without a background. */
export const dangerStyles: CSSResult = css`
  :host {
    --_danger: var(--auth-danger-color, var(--_error));
    --_danger-text: light-dark(
      oklch(from var(--_danger) min(l, 0.5) c h),
      oklch(from var(--_danger) max(l, 0.72) c h)
    );
  }
  .destructive {
    border-color: transparent;
    background: var(--_danger);
    color: var(--auth-on-danger-color, var(--uia-on-error-color, light-dark(#fff, #10192b)));
  }
  @media (forced-colors: active) {
    .destructive {
      border: 0.25em double ButtonText;
      background: ButtonFace;
      color: ButtonText;
    }
  }
`;
