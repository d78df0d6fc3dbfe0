import { css, type CSSResult, html, type TemplateResult } from "lit";
import { adoptStyles } from "../styles.js";

export const errorBoxLook: CSSResult = css`
  & {
    position: relative;
    box-sizing: border-box;
    padding: 0.625em min(0.75em, 3vw);
    padding-inline-start: min(2.75em, 12vw);
    border: var(--auth-error-border, 1px solid color-mix(in srgb, var(--_error) 40%, transparent));
    border-radius: var(--auth-error-border-radius, min(var(--_radius), 0.75em));
    background: var(--auth-error-background, color-mix(in srgb, var(--_error) 9%, transparent));
    color: var(--_error);
    line-height: 1.4;
    text-align: start;
  }
  /* The server's own message. */
  & bdi {
    display: block;
  }
  /* A sign that needs no color; a screen reader need not say it. */
  &::before {
    content: "!";
    content: "!" / "";
    /* At the first line, also if it is larger than the sign. */
    position: absolute;
    inset-inline-start: min(0.75em, 2vw);
    box-sizing: border-box;
    /* Large text on a small screen needs the room itself. */
    font-size: min(1em, 5vw);
    inline-size: 1.4em;
    block-size: 1.4em;
    border: 0.125em solid;
    border-radius: 50%;
    font-weight: 700;
    line-height: 1.15;
    text-align: center;
  }
`;

/** The box around errors in a shadow tree. */
export const errorBox: CSSResult = css`
  .error:not([hidden]) {
    ${errorBoxLook}
  }
`;

/** Custom properties for the dialog; unset ones fall back to those for signing in. */
export const uiaTokens: CSSResult = css`
  :host {
    --_accent: var(--uia-accent-color, var(--oidc-accent-color, light-dark(#1d4fb8, #9dbdff)));
    --_on-accent: var(
      --uia-on-accent-color,
      var(--oidc-on-accent-color, light-dark(#fff, #10192b))
    );
    --_error: var(--uia-error-color, var(--oidc-error-color, light-dark(#a3120a, #ffb3ab)));
    --_radius: var(--uia-border-radius, var(--oidc-border-radius, 0.5em));
    --_gap: var(--uia-gap, var(--oidc-gap, 0.5em));
  }
`;

/**
 * Adds, once, the styles that an element needs only later. Also sets the system's font, if neither
 * the page nor a surrounding element sets a font.
 */
export function addStyles(host: Element, ...styles: readonly CSSResult[]): void {
  const { shadowRoot: tree } = host;
  const { styleSheet } = systemFont;
  // Test environments might not have them.
  if (!tree || !styleSheet) return;
  for (const each of styles) adoptStyles(tree, each);
  const { host: outer } = host.getRootNode() as Partial<ShadowRoot>;
  const around = host.assignedSlot ?? host.parentElement ?? outer;
  if (!around) return;
  if (getComputedStyle(around).fontFamily === initialFont()) adoptStyles(tree, systemFont);
  else if (tree.adoptedStyleSheets.includes(styleSheet)) {
    tree.adoptedStyleSheets = tree.adoptedStyleSheets.filter((each) => each !== styleSheet);
  }
}

/** A rule of the page for the element itself has precedence. */
const systemFont = css`
  :host {
    font-family: var(--auth-font-family, system-ui, sans-serif);
  }
`;

/**
 * The browser's default font. It is cached, because it stays the same and each element reads it at
 * each render.
 */
let initial: string | undefined;

function initialFont(): string {
  if (initial !== undefined) return initial;
  const parent = document.createElement("span");
  const probe = document.createElement("span");
  // In WebKit, `initial` inherits the parent's font, so set WebKit's default font there. In other
  // browsers, no font has that name.
  parent.style.fontFamily = "-webkit-standard";
  probe.style.fontFamily = "initial";
  parent.append(probe);
  document.documentElement.append(parent);
  initial = getComputedStyle(probe).fontFamily;
  parent.remove();
  return initial;
}

/** Scrolls an element into view, because on a small screen it can be behind the keyboard. */
export const scrollIntoView = (element: Element | null | undefined): void =>
  // Test environments without layout can't scroll.
  (element as Partial<Element> | undefined)?.scrollIntoView?.({ block: "nearest" });

/** `exportparts` that adds a prefix to an inner element's parts, which are separated by spaces. */
export const exportParts = (prefix: string, parts: string): string =>
  parts
    .split(" ")
    .map((part) => `${part}:${prefix}-${part}`)
    .join(", ");

/** The value of `exportparts` for the dialog inside another element. */
export const DIALOG_PARTS: string = /* @__PURE__ */ exportParts(
  "dialog",
  "dialog heading progress description stage instruction error notice other actions submit cancel spinner open finished link text host user initial",
);

/** The initial of a name. It replaces an image, so it is not part of the page's text. */
export function renderInitial(name: string): TemplateResult {
  // A flag, or a character with its marks, its skin tone, or what it is joined with.
  const [initial = ""] = /\p{RI}{2}|.(\p{M}|\p{EMod}|\u200D.){0,8}/su.exec(name) ?? [];
  return html`<span part="initial" data-initial=${initial.toUpperCase()}></span>`;
}

export const initialStyles: CSSResult = css`
  [part="initial"]::before {
    content: attr(data-initial);
    content: attr(data-initial) / "";
  }
  [part="initial"] {
    flex: none;
    display: grid;
    place-content: center;
    box-sizing: border-box;
    /* Where the system sets the colors it is all that is seen of the circle. */
    border: 1px solid transparent;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_accent) 18%, transparent);
    font-weight: 600;
  }
`;
