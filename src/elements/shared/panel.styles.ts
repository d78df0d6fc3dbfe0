import { css, type CSSResult } from "lit";

/** The panel that an element is when it stands on a page alone. */
export const panelStyles: CSSResult = css`
  :host {
    --_line: color-mix(in srgb, currentcolor 55%, transparent);
  }
  .panel {
    display: grid;
    gap: calc(var(--_gap) * 2);
    /* A long word must not make the column wider than the page. */
    grid-template-columns: minmax(0, 1fr);
    box-sizing: border-box;
    margin-inline: auto;
    padding: var(--oidc-panel-padding, 1.75em);
    border: var(--oidc-panel-border, 1px solid light-dark(#d5d9e2, #3b414d));
    /* Where buttons are pills, nothing else is. */
    border-radius: min(var(--_radius) * 2, 1.5em);
    background: var(--oidc-panel-background, light-dark(#fff, #1d2129));
    color: var(--oidc-panel-color, light-dark(#1b1f27, #e9ecf2));
    box-shadow: var(--oidc-panel-shadow, 0 0.25em 1.5em rgb(0 0 0 / 0.08));
    line-height: 1.45;
  }
  h2 {
    margin: 0;
    font-size: 1.375em;
    line-height: 1.25;
  }
  /* The panel has gaps of its own. */
  ::slotted(*) {
    margin-block: 0;
  }
`;
