import { css, type CSSResult } from "lit";

export const accountStyles: CSSResult = css`
  :host {
    --_separator: var(
      --auth-separator,
      1px solid color-mix(in srgb, currentcolor 15%, transparent)
    );
  }
  .account .panel {
    box-shadow: var(--oidc-panel-shadow, 0 0.125em 0.5em rgb(0 0 0 / 0.06));
  }
  .account {
    /* The page may forbid selection, but users copy IDs. */
    -webkit-user-select: text;
    user-select: text;
  }
  .account[inert] {
    opacity: 0.55;
  }
  h3:focus {
    outline: none;
  }
  h4 {
    margin: 0;
    font-size: 1em;
    line-height: 1.3;
  }
  p,
  dl,
  dd {
    margin: 0;
  }
  [hidden] {
    display: none !important;
  }
  [part="actions"] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap);
  }
  .head,
  .search,
  .selection {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--_gap) calc(var(--_gap) * 2);
  }
  ul {
    container-type: inline-size;
    list-style: none;
    margin: 0;
    padding: 0;
  }
  li {
    padding-block: calc(var(--_gap) * 1.5);
    border-block-start: var(--_separator);
  }
  li:first-child {
    border: 0;
  }
  .own > li {
    padding-block: 0;
  }
  li:has(> .row :checked) {
    --_selected: color-mix(in srgb, var(--_accent) 8%, transparent);
    background: var(--_selected);
    box-shadow:
      calc(var(--_gap) * -1) 0 var(--_selected),
      var(--_gap) 0 var(--_selected);
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: calc(var(--_gap) * 1.75);
  }
  /* In a narrow window, names need the space. */
  @container (13em < width < 18em) {
    .row {
      column-gap: var(--_gap);
    }
    .row .toggle {
      min-inline-size: 2em;
    }
  }
  .about {
    min-inline-size: 0;
  }
  .row > .about {
    /* In a narrow window it stays next to the checkbox; with large text, it has a separate line. */
    flex: 1 1 calc(7em - 44px);
  }
  /* A name from left to right begins where the page's texts do, and so does one from right to left. */
  h2,
  h3,
  h4,
  dd,
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
    column-gap: 0.75em;
  }
  [part="badge"] {
    padding: 0.0625em 0.625em;
    border: 1px solid transparent;
    border-radius: 1em;
    background: var(--auth-badge-background, color-mix(in srgb, var(--_accent) 15%, transparent));
    font-size: 0.8125em;
  }
  [part="device-name"] {
    font-weight: 600;
  }
  [part="device-detail"],
  .found {
    font-size: 0.875em;
    opacity: 0.8;
  }
  svg {
    flex: none;
    inline-size: 1.5em;
    block-size: 1.5em;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
    opacity: 0.75;
  }
  [aria-expanded="true"] > svg {
    rotate: 180deg;
  }
  .more {
    display: grid;
    gap: calc(var(--_gap) * 1.5);
    margin-block-start: var(--_gap);
    /* Below the name. */
    padding-inline-start: calc(1.5em + var(--_gap) * 1.75);
  }
  .row:has(input) + .more {
    padding-inline-start: calc(3em + var(--_gap) * 3.5);
  }
  /* In a narrow window, or with large text, there is no room for that. */
  @container (max-width: 17em) {
    .row + .more.more {
      padding-inline-start: 0;
    }
  }
  /* Their texts are in line with the others. */
  .more > [part="actions"]:has(.quiet),
  .head > .quiet {
    column-gap: 0;
    margin-inline-start: -0.75em;
    text-align: start;
  }
  /* With borders, the buttons themselves are. */
  @media (forced-colors: active) {
    .more > [part="actions"]:has(.quiet),
    .head > .quiet {
      column-gap: var(--_gap);
      margin-inline-start: 0;
    }
  }
  .row > [part="actions"] {
    margin-inline-start: auto;
  }
  dl {
    display: grid;
    gap: var(--_gap);
    font-size: 0.875em;
  }
  dt {
    opacity: 0.8;
  }
  .head {
    justify-content: space-between;
    padding-block-start: calc(var(--_gap) * 2);
    border-block-start: var(--_separator);
  }
  .head:first-child {
    border: 0;
  }
  /* It stays above the devices that it is for, below what the page itself keeps there. */
  .bar {
    position: sticky;
    inset-block-start: var(--matrix-account-sticky-offset, 0px);
    z-index: 1;
    display: grid;
    gap: var(--_gap);
    padding-block: var(--_gap);
    border-block-end: var(--_separator);
    background: var(--oidc-panel-background, light-dark(#fff, #1d2129));
  }
  @media print {
    .bar {
      position: static;
    }
  }
  .search > :first-child {
    flex: 1 1 12em;
  }
  .search > .found {
    flex-basis: 100%;
  }
  .search > .uia-fields {
    position: relative;
  }
  .search .uia-fields.uia-fields > [type="search"] {
    margin: 0;
    padding-inline-start: 2.5em;
  }
  [part="search-icon"] {
    position: absolute;
    inset-block: 0;
    inset-inline-start: 0.75em;
    inline-size: 1.25em;
    margin-block: auto;
    pointer-events: none;
  }
  .selection {
    justify-content: space-between;
    gap: var(--_gap);
    /* As high as with its button. */
    min-block-size: min(2.11em, var(--_height));
  }
  /* Other files of the bundle have their own copies of the styles of fields, which can come later. */
  .uia-fields.uia-fields.choose {
    display: flex !important;
    align-items: center;
    gap: calc(var(--_gap) * 1.75);
  }
  .uia-fields.uia-fields.choose > label {
    font-weight: inherit;
  }
  :is(button, .button) {
    justify-self: start;
  }
  .button::after {
    content: "↗";
    content: "↗" / "";
  }
  .button:dir(rtl)::after {
    scale: -1 1;
  }
  .links {
    display: grid;
    gap: var(--_gap);
  }
  .links > li {
    padding: 0;
    border: 0;
  }
  .links .button {
    padding: var(--oidc-button-padding, 0.5em min(1.25em, 6%));
    text-align: start;
    inline-size: 100%;
    justify-content: space-between;
  }
  .quiet {
    min-block-size: min(2.25em, var(--_height));
    padding: 0.25em 0.75em;
    background: none;
    color: inherit;
    font-size: 0.9375em;
  }
  a.quiet {
    border-color: transparent;
  }
  /* Its padding has room for the spinner only if the label makes way. */
  .quiet > :has([part="spinner"]) {
    margin-inline: -0.4em 0.4em;
  }
  .danger {
    background: none;
    color: var(--_danger-text);
    border-color: color-mix(in srgb, currentcolor 55%, transparent);
  }
  .quiet.danger {
    border-color: transparent;
  }
  .toggle {
    min-inline-size: 2.5em;
    padding: 0;
  }
  @media not all and (pointer: coarse) {
    :is(.danger, .quiet):hover:not([aria-disabled]) {
      background: color-mix(in srgb, currentcolor 8%, transparent);
      filter: none;
    }
  }
  :is(.danger, .quiet):active:not([aria-disabled]) {
    background: color-mix(in srgb, currentcolor 18%, transparent);
    filter: none;
  }
  button[aria-disabled]:not([aria-busy]) {
    opacity: 0.55;
  }
  .warning {
    padding-inline-start: 0.75em;
    border-inline-start: 0.2em solid var(--_error);
  }
  summary {
    inline-size: fit-content;
    padding-block: 0.25em;
    color: var(--_danger-text);
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
  @media (forced-colors: active) {
    .quiet,
    [part="badge"] {
      border: 1px solid currentcolor;
    }
    .danger.danger {
      border: 0.25em double;
    }
    .skeleton {
      border: 1px solid;
    }
  }
`;
