import { css, type CSSResult } from "lit";

export const dialogStyles: CSSResult = css`
  :host {
    --_start: min(6em, 12vh);
    display: contents;
  }
  dialog {
    box-sizing: border-box;
    /* The browser keeps the dialog inside the window. */
    inline-size: var(--uia-inline-size, 26em);
    max-inline-size: calc(100% - 6px - min(2em, 6vw));
    /* Its start stays where it is when its height changes. */
    margin-block-start: var(--_start);
    max-block-size: calc(100% - 6px - 1em - var(--_start));
    padding: min(1.5em, 5vw);
    border: 1px solid color-mix(in srgb, currentcolor 20%, transparent);
    /* If the page makes buttons pill-shaped, the dialog must not get the same radius. */
    border-radius: var(--auth-panel-border-radius, min(var(--_radius) * 2, 1.5em));
    /* On a dark page a shadow is not visible, so the dialog is lighter than the page. */
    background: var(--uia-background, light-dark(Canvas, #1d2129));
    color: var(--uia-color, CanvasText);
    text-align: start;
    /* Otherwise it would inherit the page's value, for example from a body that a modal has made unclickable. */
    pointer-events: auto;
    -webkit-user-select: text;
    user-select: text;
    visibility: visible;
    cursor: auto;
    text-transform: none;
    /* The page behind it does not scroll with it. */
    overscroll-behavior: contain;
    box-shadow: 0 1em 3em light-dark(rgb(0 0 0 / 0.3), rgb(0 0 0 / 0.7));
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 0.5);
  }
  /* Without these rules it is there, and gone, at once. */
  @media (prefers-reduced-motion: no-preference) {
    dialog,
    dialog::backdrop {
      opacity: 0;
      transition: opacity 0.15s;
    }
    dialog.closing,
    dialog.closing::backdrop {
      transition:
        opacity 0.15s,
        overlay 0.15s allow-discrete,
        display 0.15s allow-discrete;
    }
    dialog[open],
    dialog[open]::backdrop {
      opacity: 1;
    }
    @starting-style {
      dialog[open],
      dialog[open]::backdrop {
        opacity: 0;
      }
    }
  }
  [part="user"] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.75em;
    margin-block: 1em;
  }
  [part="initial"] {
    inline-size: 2.25em;
    block-size: 2.25em;
  }
  /* It looks like a modal dialog. If it is not above everything, it is just below Google's captcha. */
  dialog[open]:not(:modal) {
    position: fixed;
    inset: 0;
    z-index: 1999999999;
    overflow: auto;
    box-shadow: 0 0 0 100vmax rgb(0 0 0 / 0.5);
    margin: var(--_start) auto auto;
  }
  /* A shadow replaces the backdrop. */
  dialog:popover-open::backdrop {
    display: none;
  }
  /* The page behind the dialog gets no clicks. */
  dialog[open]:not(:modal)::before {
    content: "";
    position: fixed;
    inset: 0;
    z-index: -1;
  }
  h2 {
    margin: 0;
    /* Large text on a small screen breaks the words of a heading. */
    font-size: min(1.25em, 10vw);
    line-height: 1.25;
  }
  h2:focus {
    outline: none;
  }
  p,
  [part="error"] {
    margin-block: 0.75em;
    line-height: 1.45;
  }
  /* A text in another direction than the dialog's starts at the same side as the others. */
  h2,
  p {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  [part="progress"] {
    margin-block: 0 0.25em;
    font-size: 0.875em;
    opacity: 0.8;
  }
  /* Apart from the label of the field below it. */
  [part="instruction"] p {
    margin-block-end: 1.25em;
  }
  .address {
    font-weight: 600;
  }
  [part="notice"] {
    padding-inline-start: 0.75em;
    border-inline-start: 0.2em solid var(--_accent);
  }
  [part="actions"] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: end;
    gap: calc(1.5 * var(--_gap));
    margin-block-start: 1.25em;
  }
  .others {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25em 1.25em;
    margin-block-start: 0.75em;
  }
  [part="other"] {
    min-block-size: min(2em, var(--_height));
    padding: 0.25em 0;
    border: 0;
    background: none;
    color: var(--_link);
    text-align: start;
    text-decoration: underline;
    font-weight: inherit;
  }
  [part="other"][aria-disabled] {
    opacity: 0.75;
    cursor: not-allowed;
    font-variant-numeric: tabular-nums;
  }
  @media not all and (pointer: coarse) {
    [part="other"]:hover:not([aria-disabled]) {
      text-decoration-thickness: 0.15em;
    }
  }
  /* The row of buttons for the homeserver's page is inside its element. */
  .row {
    display: contents;
  }
  uia-fallback-frame::part(actions) {
    justify-content: end;
    margin-block-start: 1.25em;
  }
  /* Its text wraps before it leaves the line of the other button. */
  [part="submit"] {
    flex: 1 1 12em;
    min-inline-size: min(8em, 100%);
    max-inline-size: max-content;
  }
  /* It takes the space of the main button, so that nothing moves. */
  [part="actions"] > [part="spinner"] {
    margin-inline: 3.5em;
  }
  @media (forced-colors: active) {
    dialog {
      border-width: 3px;
    }
  }
  @media (max-width: 26em) {
    dialog {
      --_start: 1em;
    }
    [part="actions"] {
      flex-direction: column;
      align-items: stretch;
      gap: var(--_gap);
    }
    [part="submit"] {
      flex: none;
      max-inline-size: 100%;
    }
    uia-fallback-frame::part(actions) {
      gap: var(--_gap);
    }
    [part="actions"] > [part="spinner"] {
      margin-inline: calc(50% - 0.5em);
    }
  }
`;
