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
  :is(h3, [role="status"]):focus {
    outline: none;
  }
  p {
    margin: 0;
  }
  .head,
  .busy,
  [part="actions"] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap);
  }
  /* What announces something stays in the page while nobody can see it, but takes no room. */
  [role]:not(:has(> :not(.visually-hidden))) {
    position: absolute;
  }
  ul {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap) calc(var(--_gap) * 2);
    padding-block: calc(var(--_gap) * 1.75);
    border-block-start: 1px solid color-mix(in srgb, currentcolor 15%, transparent);
  }
  li:first-child {
    border: 0;
    padding-block-start: 0;
  }
  li:last-child {
    padding-block-end: 0;
  }
  .about {
    flex: 1 1 12em;
    min-inline-size: 0;
  }
  /* A name from left to right begins where the page's texts do. */
  h2,
  .about,
  .about > div {
    unicode-bidi: normal;
  }
  .about > div {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    column-gap: 0.5em;
  }
  /* Beside the field, below its label. */
  .uia-fields + [part="actions"] {
    align-self: end;
    padding-block-end: 0.9375em;
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
  li > [type="checkbox"] {
    flex: none;
    inline-size: 1.5em;
    block-size: 1.5em;
    margin: 0;
    font: inherit;
    accent-color: var(--_accent);
  }
  button,
  a[part="button"] {
    justify-self: start;
  }
  a[part="button"] {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    box-sizing: border-box;
    max-inline-size: 100%;
    min-block-size: 2.75em;
    padding: var(--oidc-button-padding, 0.5em 1.25em);
    border: 1px solid transparent;
    border-radius: var(--_radius);
    font-weight: var(--oidc-button-font-weight, 600);
    text-decoration: none;
  }
  a[part="button"]::after {
    content: "↗";
    content: "↗" / "";
    margin-inline-start: 0.375em;
  }
  li :is(button, a[part="button"]) {
    min-block-size: 2.25em;
    padding: 0.25em 0.875em;
    font-size: 0.9375em;
  }
  .secondary.secondary,
  [part="danger"] {
    background: none;
    color: inherit;
    border-color: var(--_line);
  }
  [part="danger"] {
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
  .form {
    display: grid;
    gap: calc(var(--_gap) * 2);
    grid-template-columns: minmax(0, 1fr);
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
