import { css, type CSSResult } from "lit";

export const accountStyles: CSSResult = css`
  :host {
    display: block;
  }
  .account {
    display: grid;
    gap: calc(var(--_gap) * 3);
    grid-template-columns: minmax(0, 1fr);
    max-inline-size: var(--matrix-account-inline-size, 44em);
    margin-inline: auto;
    line-height: 1.45;
  }
  section.panel {
    inline-size: 100%;
    gap: calc(var(--_gap) * 2);
    box-shadow: var(--oidc-panel-shadow, 0 0.125em 0.5em rgb(0 0 0 / 0.06));
  }
  h3 {
    margin: 0;
    font-size: 1.125em;
    line-height: 1.3;
  }
  h3:focus {
    outline: none;
  }
  /* It follows the text, and takes no room: nothing moves. */
  h3 [part="spinner"] {
    position: absolute;
    margin: 0.15em 0.5em;
  }
  p {
    margin: 0;
  }
  .finding,
  [part="actions"] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap);
  }
  /* A live region stays in the page while it is not visible, but takes no space. */
  [role]:not(:has(> :not(.visually-hidden))) {
    position: absolute;
  }
  ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  li,
  .subject {
    display: flex;
    align-items: center;
    gap: var(--_gap) calc(var(--_gap) * 2);
  }
  li {
    flex-wrap: wrap;
    padding-block: calc(var(--_gap) * 1.75);
    border-block-start: 1px solid color-mix(in srgb, currentcolor 15%, transparent);
  }
  li:first-child {
    border: 0;
    padding-block-start: 0;
  }
  .subject {
    flex: 1 1 14em;
    min-inline-size: 0;
  }
  .about {
    flex: 1;
    min-inline-size: 0;
  }
  /* A name from left to right begins where the page's texts do, and so does one from right to left. */
  h2,
  .about,
  .about > div {
    unicode-bidi: normal;
  }
  .about bdi {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  .about > div {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    column-gap: 0.5em;
  }
  .about > .uia-fields.uia-fields > input {
    margin: 0;
  }
  /* Beside the field, below its label. */
  .subject:has(.about > .uia-fields) + [part="actions"] {
    align-self: end;
    padding-block-end: 0.3125em;
  }
  .badge {
    padding: 0.0625em 0.625em;
    border: 1px solid transparent;
    border-radius: 1em;
    background: color-mix(in srgb, var(--_accent) 15%, transparent);
    font-size: 0.8125em;
  }
  [part="device-name"] {
    font-weight: 600;
  }
  [part="device-detail"] {
    font-size: 0.875em;
    opacity: 0.8;
  }
  :is(button, .button) {
    justify-self: start;
  }
  .button::after {
    content: "↗";
    content: "↗" / "";
  }
  li :is(button, .button) {
    min-block-size: 2.25em;
    padding: 0.25em 0.875em;
    font-size: 0.9375em;
  }
  [part="danger"] {
    background: none;
    color: var(--_error);
    border-color: color-mix(in srgb, var(--_error) 55%, transparent);
  }
  :is(.secondary, [part="danger"]):hover:not([aria-disabled]) {
    background: color-mix(in srgb, currentcolor 8%, transparent);
    filter: none;
  }
  button[aria-disabled] {
    opacity: 0.55;
  }
  summary {
    inline-size: fit-content;
    padding-block: 0.25em;
    color: var(--_error);
    font-weight: 600;
    cursor: pointer;
  }
  details[open] > summary {
    margin-block-end: calc(var(--_gap) * 2);
  }
  details > button {
    margin-block-start: calc(var(--_gap) * 2);
  }
  uia-dialog {
    display: contents;
  }
`;
