// What surrounds an element on real pages: where it is, what the page does to it, and what the user does.
import { nextFrame } from "@open-wc/testing";
import { executeServerCommand, sendKeys } from "@web/test-runner-commands";
import { Idiomorph } from "idiomorph";
// Importing it by its public name would register it, and hide what a part forgets.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { english } from "../../../dist/texts/english.js";
import { untilRestored } from "../../support/stub.js";
import { resize, resizeBack } from "../support/viewport.js";
import type { Control } from "./controls.js";
import { isOurs, isSaid, nameOf, whatOverflows } from "../accessibility/modes.js";
import {
  type Before,
  changesNothing,
  eventually,
  hasPressed,
  hasReacted,
  isBusy,
  settled,
  untilIdle,
} from "./invariants.js";
import { HOUR_MS, type Place, currentServers, respondToAll, sentRequests } from "./states.js";
import {
  agreeIn,
  cancelIn,
  codesOf,
  controlsOf,
  destructiveIn,
  fieldsOf,
  focused,
  focusedIn,
  isInert,
  isOwn,
  labelOf,
  mainButtonOf,
  textOf,
  visibleIn,
} from "./page.js";

type MaybePromise<T> = T | Promise<T>;

export interface Surrounding {
  readonly name: string;
  /** Default: in the page's main content. */
  readonly place?: Place;
  /** What it needs of a state. `controls.ts` names the states that have it. */
  readonly needs?: Control;
  /** Happens before the state is shown. */
  readonly arrange?: () => unknown;
  /** Happens after the state is shown. @returns What goes wrong. */
  readonly happens?: (element: HTMLElement, before: Before) => MaybePromise<string[] | undefined>;
  /** Whether it submits something. What does not must change nothing, and send nothing. */
  readonly submits?: boolean;
  /** Whether it moves the page. */
  readonly moves?: boolean;
  /** Whether the focus may be somewhere else in the element after it. */
  readonly refocuses?: boolean;
  /** Whether it types: a text may repeat or judge what is typed. */
  readonly types?: boolean;
  /** Whether typed passwords and codes may be gone after it. */
  readonly forgetsSecrets?: boolean;
  /** Whether the element may load again what it shows, and ask once whether its stage is complete. */
  readonly asks?: boolean;
  /** The states, and the elements, that end with it. */
  readonly ends?: readonly string[];
}

const shadowRoot =
  (mode: ShadowRootMode): Place =>
  (page) =>
    page.attachShadow({ mode });

/**
 * A dialog of the page with a focus trap: whenever the focus leaves it, it takes it back a moment later, as the
 * traps of component libraries do.
 */
const nextToModal: Place = (page) => {
  const modal = document.createElement("div");
  modal.setAttribute("role", "dialog");
  modal.setAttribute("aria-label", "The page's dialog");
  modal.innerHTML = '<label>Message <input name="page-message" /></label>';
  const place = document.createElement("div");
  modal.append(place);
  page.append(modal);
  const trap = (): void => {
    setTimeout(() => {
      const target = document.activeElement;
      if (modal.isConnected && target && !modal.contains(target))
        modal.querySelector("input")?.focus();
    });
  };
  document.addEventListener("focusin", trap);
  untilRestored(() => document.removeEventListener("focusin", trap));
  return place;
};

/** A native modal dialog of the page, which makes everything outside of it inert. */
const inModal: Place = (page) => {
  const modal = document.createElement("dialog");
  page.append(modal);
  modal.showModal();
  return modal;
};

/** A phone, and a page with small text. */
async function onPhone(): Promise<void> {
  await executeServerCommand("emulate-touch", true);
  const { style } = document.documentElement;
  style.fontSize = "14px";
  untilRestored(() => style.removeProperty("font-size"));
}

/** A page with a new frame loses the emulated touch screen, so the condition's text counts. */
const WITHOUT_TOUCH = "not all and (pointer: coarse)";

/** The rules for a pointer that hovers. After a tap, a touch screen would keep them. */
const hoverRulesOf = ({ cssRules }: CSSStyleSheet | CSSGroupingRule | CSSStyleRule): string[] =>
  [...cssRules].flatMap((rule) => {
    if (rule instanceof CSSMediaRule)
      return rule.conditionText === WITHOUT_TOUCH ? [] : hoverRulesOf(rule);
    if (!(rule instanceof CSSStyleRule)) return [];
    const isHover = rule.selectorText.includes(":hover");
    return [...(isHover ? [rule.selectorText] : []), ...hoverRulesOf(rule)];
  });

/** What a tap would leave hovered. */
function whatStaysHovered(element: HTMLElement): string[] {
  const trees = visibleIn(element).map((each) => each.getRootNode() as Document | ShadowRoot);
  const sheets = [...new Set(trees)].flatMap(({ adoptedStyleSheets }) => adoptedStyleSheets);
  return [...new Set(sheets.flatMap(hoverRulesOf))].map((rule) => `a tap leaves ${rule}`);
}

/** Records the keys that reach the page, which might close its own dialog with them. */
function watchKeys(): string[] {
  const keys: string[] = [];
  const onKey = ({ key }: KeyboardEvent): void => void keys.push(key);
  document.addEventListener("keydown", onKey);
  untilRestored(() => document.removeEventListener("keydown", onKey));
  return keys;
}

/** Renders everything again. */
async function changeLanguage(element: HTMLElement): Promise<string[]> {
  await inLanguage(element, "ar");
  const problems = whatStaysEnglish(element);
  await inLanguage(element, "en");
  return problems;
}

/** The user goes on, if the state has a button for that. */
const PRESSED = {
  submits: true,
  forgetsSecrets: true,
  happens: (element: HTMLElement, before: Before) =>
    mainButtonOf(element) ? press(element, before) : [],
} satisfies Partial<Surrounding>;

/** A page whose styles for other texts the element inherits. */
const inStyledText: Place = (page) => {
  page.style.cssText = `
    width: 400px;
    white-space: pre;
    word-break: break-all;
    text-indent: 4em;
    text-transform: uppercase;
    line-height: 0;
    -webkit-text-fill-color: transparent;
    caret-color: transparent;
    user-select: none;
    hyphens: auto;
    line-break: anywhere;
  `;
  return page;
};

/** A text that the user can edit. */
const inEditor: Place = (page) => {
  page.contentEditable = "true";
  return page;
};

const whatIsEditable = (element: HTMLElement): string[] =>
  visibleIn(element)
    .filter((each) => isOurs(each) && each.isContentEditable)
    .map((each) => `${nameOf(each)} can be edited`);

/** What is out of the column, or the page. */
const whatLeavesIt = (element: HTMLElement): string[] =>
  whatOverflows(visibleIn(element).filter((each) => isOurs(each) && !isSaid(each)));

const inColumn: Place = (page) => {
  page.style.width = "200px";
  return page;
};

const PLACES: readonly Surrounding[] = [
  {
    name: "a coarse pointer, and a page with small text",
    arrange: onPhone,
    moves: true,
    happens: whatStaysHovered,
  },
  { name: "in a text with a style", place: inStyledText },
  { name: "in a text that the user can edit", place: inEditor, happens: whatIsEditable },
  { name: "in a column of 200 px", place: inColumn, happens: whatLeavesIt },
  ...(["open", "closed"] as const).map((mode) => ({
    name: `in a shadow root that is ${mode}`,
    place: shadowRoot(mode),
    moves: true,
    happens: changeLanguage,
  })),
  { name: "in a native modal dialog of the page", place: inModal, ...PRESSED, moves: true },
  { name: "in a dialog of the page whose focus trap acts later", place: nextToModal, ...PRESSED },
];

/** The markup that a server sends for the element: it knows nothing of what the element has added to itself. */
function fromServer(element: HTMLElement): string {
  const copy = element.cloneNode(true) as HTMLElement;
  for (const own of copy.querySelectorAll(".uia-fields")) own.remove();
  copy.removeAttribute("open");
  return copy.outerHTML;
}

/** Lit keeps its place in a document with comments. */
function removeComments(root: Node): void {
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const comments: Comment[] = [];
  while (nodes.nextNode()) comments.push(nodes.currentNode as Comment);
  for (const comment of comments) comment.remove();
}

/** Wraps the page's texts, as a browser's translator does. Some look into shadow trees. */
function translate(root: Node, entersShadow: boolean): void {
  const nodes = document.createTreeWalker(root);
  const found: Text[] = [];
  for (let node: Node | null = root; node; node = nodes.nextNode()) {
    if (node instanceof Text) found.push(node);
    const { shadowRoot } = node as Partial<Element>;
    if (shadowRoot && entersShadow) translate(shadowRoot, true);
  }
  for (const text of found) {
    if (!text.data.trim()) continue;
    const font = document.createElement("font");
    font.textContent = text.data;
    text.replaceWith(font);
  }
}

/** The element's words, after the page has changed its language. */
async function inLanguage(element: HTMLElement, lang: string): Promise<string> {
  document.documentElement.lang = lang;
  await settled(element);
  return textOf(element);
}

/** The library's English texts, and the words around a value in them. */
const ENGLISH = Object.values(english).map((text) => {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/\W/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
});

/** What is still in English on a page in another language. */
const whatStaysEnglish = (element: HTMLElement): string[] =>
  visibleIn(element)
    .filter((each) => isOwn(each, element) && !each.querySelector("slot"))
    .map(({ innerText }) => innerText.trim())
    .filter((text) => ENGLISH.some((english) => english.test(text)))
    .map((text) => `in the language from before: ${text}`);

/** What a page's style for a tag could change, in a form among the page's elements. */
const LOOKS = [
  "display",
  "visibility",
  "opacity",
  "position",
  "float",
  "appearance",
  "color",
  "fill",
  "stroke",
  "font-size",
  "width",
  "height",
  "transform",
  "filter",
] as const;

const looksOf = (element: HTMLElement): string[] =>
  [...element.querySelectorAll(".uia-fields, .uia-fields :not(.uia-visually-hidden)")].map(
    (each) => {
      const style = getComputedStyle(each);
      const looks = LOOKS.map((name) => style.getPropertyValue(name)).join();
      return `${each.localName} ${looks} ${each instanceof HTMLElement ? style.textTransform : ""}`;
    },
  );

/** Styles for tags, as in resets, themes, and pages that draw their own controls. */
const PAGE_STYLE = `
  :is(form, label, input, select, button, span, p, svg, path, circle, font) {
    display: none;
    visibility: hidden;
    float: left;
    fill: red;
    stroke: red;
    color: red;
    text-transform: uppercase;
    transform: scale(0.5);
    filter: opacity(0);
  }
`;

/** The same in themes that let nothing override it: one hides what it draws itself, one has a size for it. */
const IMPORTANT_STYLES = [
  "display: none !important; visibility: hidden !important;",
  `
    display: block !important;
    position: relative !important;
    width: 100% !important;
    min-height: 60px !important;
    margin: 16px !important;
    padding: 16px !important;
    background: black !important;
    clip-path: none !important;
  `,
].map((rules) => `:is(form, label, input, select, button) { ${rules} }`);

/** What a user cannot use, and what is shown although it is hidden. */
function whatIsLost(element: HTMLElement): string[] {
  const problems: string[] = [];
  for (const each of element.querySelectorAll<HTMLElement>(
    ".uia-fields :is(input, select, button)",
  )) {
    // Behind a dialog.
    if (isInert(each)) continue;
    const isHidden = each.matches(".uia-visually-hidden, [type=submit]");
    each.scrollIntoView({ block: "center" });
    const { left, top, width, height } = each.getBoundingClientRect();
    const inFront = document.elementFromPoint(left + width / 2, top + height / 2);
    if (isHidden ? width > 1 || height > 1 : !each.checkVisibility({ visibilityProperty: true }))
      problems.push(`${nameOf(each)} is ${isHidden ? "shown" : "hidden"}`);
    else if (!isHidden && inFront && inFront !== each && !each.contains(inFront))
      problems.push(`${nameOf(inFront)} covers ${nameOf(each)}`);
  }
  return problems;
}

/** The page has shortcuts, and ignores only keys in its own fields. @returns The keys that it has taken. */
function pageShortcuts(): readonly string[] {
  const taken: string[] = [];
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as Element;
    const isModifier = event.key === "Control";
    if (isModifier || target.matches("input, textarea, select, [contenteditable]")) return;
    taken.push(event.key);
    event.preventDefault();
  };
  for (const type of ["keydown", "keypress", "keyup"] as const) {
    document.addEventListener(type, onKey);
    untilRestored(() => document.removeEventListener(type, onKey));
  }
  return taken;
}

const inFieldset: Place = (page) => {
  const fieldset = document.createElement("fieldset");
  page.append(fieldset);
  return fieldset;
};

/** A link is not disabled, and neither is what the element asks, or what ends a wait. */
const whatIsEnabled = (element: HTMLElement): string[] =>
  visibleIn(element).some((each) => each.matches("dialog[open]"))
    ? []
    : controlsOf(element)
        .filter((each) => isOurs(each) && !each.matches("a, [part~=cancel]"))
        .map((each) => `${nameOf(each)} is enabled`);

const HAPPENINGS: readonly Surrounding[] = [
  {
    name: "in a fieldset that the page disables",
    place: inFieldset,
    refocuses: true,
    async happens(element) {
      const [fieldset] = document.querySelectorAll("fieldset");
      const focus = focusedIn(element) as HTMLElement | null;
      fieldset?.toggleAttribute("disabled", true);
      await settled(element);
      const problems = whatIsEnabled(element);
      fieldset?.toggleAttribute("disabled", false);
      await settled(element);
      focus?.focus();
      return problems;
    },
  },
  {
    name: "a morph of the page",
    happens(element) {
      Idiomorph.morph(element, fromServer(element), { morphStyle: "outerHTML" });
    },
  },
  {
    name: "a morph of the page that removes comments",
    moves: true,
    asks: true,
    happens(element) {
      removeComments(element);
      Idiomorph.morph(element, fromServer(element), { morphStyle: "outerHTML" });
      return changeLanguage(element);
    },
  },
  ...[false, true].map((entersShadow) => ({
    name: `a translator${entersShadow ? " of shadow trees, too" : ""}, and then another language`,
    moves: true,
    async happens(element: HTMLElement) {
      const arabic = await inLanguage(element, "ar");
      const problems = whatStaysEnglish(element);
      await inLanguage(element, "en");
      translate(element, entersShadow);
      const translated = await inLanguage(element, "ar");
      await inLanguage(element, "en");
      const missing = arabic.split(" ").filter((word) => !translated.split(" ").includes(word));
      return missing.length > 0
        ? [...problems, `not in the new language: ${missing.join(" ")}`]
        : problems;
    },
  })),
  {
    name: "back from the page cache",
    asks: true,
    forgetsSecrets: true,
    // The user is here again.
    ends: ["redirecting"],
    happens() {
      window.dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }));
      window.dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    },
  },
  {
    name: "moved in the page",
    refocuses: true,
    happens(element) {
      const place = document.createElement("section");
      element.before(place);
      const isFocused = focusedIn(element) as HTMLElement | null;
      place.append(element);
      // The browser takes the focus from what moves.
      isFocused?.focus();
    },
  },
  {
    name: "removed, and put back later",
    asks: true,
    forgetsSecrets: true,
    refocuses: true,
    // What waits for the user, or for a server, ends with the removal. These elements start again.
    ends: [
      ...["checking", "submitting", "redirecting", "waiting", "authenticating"],
      ...["oidc-login", "uia-dialog", "uia-fallback-frame", "matrix-account"],
    ],
    async happens(element) {
      const place = document.createElement("section");
      element.before(place);
      element.remove();
      await settled(element);
      place.append(element);
      await settled(element);
      (fieldsOf(element)[0] ?? controlsOf(element)[0])?.focus();
    },
  },
  {
    name: "moved in the page, with its state",
    happens(element) {
      const place: HTMLElement & { moveBefore?(node: Node, child: null): void } =
        document.createElement("section");
      element.before(place);
      place.moveBefore?.(element, null);
    },
  },
  {
    name: "an extension that wraps each field",
    needs: "field",
    refocuses: true,
    moves: true,
    async happens(element) {
      const focus = focusedIn(element) as HTMLElement | null;
      for (const field of fieldsOf(element)) {
        const place = document.createElement("span");
        field.before(place);
        place.append(field);
      }
      focus?.focus();
      await changeLanguage(element);
    },
  },
  {
    name: "a page that merges neighboring texts",
    needs: "field",
    moves: true,
    happens(element) {
      document.body.normalize();
      return changeLanguage(element);
    },
  },
  {
    name: "a page with a style for each tag",
    needs: "field",
    async happens(element) {
      const before = looksOf(element);
      const style = document.createElement("style");
      style.textContent = PAGE_STYLE;
      document.head.prepend(style);
      await nextFrame();
      const after = looksOf(element);
      style.remove();
      return after.filter((look, nth) => look !== before[nth]).map((look) => `looks like ${look}`);
    },
  },
  {
    name: "a page with important styles for tags",
    needs: "field",
    moves: true,
    async happens(element) {
      const problems: string[] = [];
      const style = document.createElement("style");
      document.head.append(style);
      for (const css of IMPORTANT_STYLES) {
        style.textContent = css;
        await nextFrame();
        problems.push(...whatIsLost(element));
      }
      style.remove();
      await nextFrame();
      return problems;
    },
  },
  {
    name: "Escape in each field, in a dialog of the page that listens to its keys",
    needs: "field",
    // It can end what the user does in the element.
    ends: [...["matrix-account", "matrix-login", "uia-dialog", "uia-fallback-frame"], "checking"],
    async happens(element) {
      const problems: string[] = [];
      const keys = watchKeys();
      for (const field of fieldsOf(element)) {
        if (!visibleIn(element).includes(field)) continue;
        field.focus();
        const { value } = field;
        const text = textOf(element);
        keys.length = 0;
        await sendKeys({ press: "Escape" });
        await settled(element);
        const isUsed = !field.isConnected || field.value !== value || textOf(element) !== text;
        if (isUsed && keys.length > 0)
          problems.push(`Escape in ${nameOf(field)} also closes the page's dialog`);
      }
      return problems;
    },
  },
  {
    name: "a page with shortcuts",
    needs: "field",
    types: true,
    refocuses: true,
    // An edited name ends what was said about the last one.
    ends: ["checking", "error"],
    async happens(element) {
      const field = fieldsOf(element).find(({ type }) => type !== "email");
      if (!field) return;
      const taken = pageShortcuts();
      field.focus();
      const { value } = field;
      for (const key of ["d", "ArrowLeft", "Delete"]) await sendKeys({ press: key });
      await sendKeys({ down: "Control" });
      await sendKeys({ press: "a" });
      await sendKeys({ up: "Control" });
      field.value = value;
      if (focused() === field && taken.length > 0)
        throw new Error(`the page's shortcuts took ${taken.join()}`);
    },
  },
];

const mouse = (type: "move" | "down" | "up", position?: readonly number[]): Promise<unknown> =>
  executeServerCommand("send-mouse", { type, ...(position ? { position } : { button: "left" }) });

/** What a user can see of a button's state. Brightness changes only what has a background, or is underlined. */
function lookOf(button: Element): string {
  const { backgroundColor, filter, textDecorationLine, textDecorationThickness } =
    getComputedStyle(button);
  const isBright = !/, 0\)$/.test(backgroundColor) || textDecorationLine === "underline";
  const icon = button.querySelector("svg");
  const opacity = icon && getComputedStyle(icon).opacity;
  return [backgroundColor, isBright && filter, textDecorationThickness, opacity].join(" ");
}

/** The buttons that a user can press, one of each look. */
function buttonsOf(element: HTMLElement): readonly HTMLElement[] {
  const buttons = controlsOf(element).filter(
    (each) => each.matches("button, .button") && isOurs(each) && !isSaid(each),
  );
  return [...new Map(buttons.map((each) => [`${nameOf(each)} ${each.className}`, each])).values()];
}

/** Presses the button. @returns Whether anything has happened then. */
async function press(element: HTMLElement, before: Before): Promise<string[]> {
  const button = mainButtonOf(element);
  button?.focus();
  button?.click();
  await settled(element);
  const problems = await reacted(element, before);
  await drawn();
  return problems;
}

/** What the element shows first after a press is what the user has pressed for. */
async function drawn(): Promise<void> {
  for (let frames = 0; frames < 2; frames++) await nextFrame();
  hasPressed();
}

async function reacted(element: HTMLElement, before: Before): Promise<string[]> {
  return (await eventually(() => hasReacted(element, before))) ? [] : ["nothing has happened"];
}

/** Records what a key presses while it is held down. */
function watchRepeats(): () => string[] {
  const pressed: string[] = [];
  let isRepeat = false;
  const onKey = ({ repeat }: KeyboardEvent): void => void (isRepeat = repeat);
  const onClick = ({ isTrusted, target }: Event): void => {
    if (isRepeat && isTrusted) pressed.push(`a held key presses ${nameOf(target as Element)}`);
  };
  window.addEventListener("keydown", onKey, { capture: true });
  window.addEventListener("click", onClick, { capture: true });
  untilRestored(() => {
    window.removeEventListener("keydown", onKey, { capture: true });
    window.removeEventListener("click", onClick, { capture: true });
  });
  return () => pressed;
}

/** A sandboxed frame without `allow-forms`: the browser fires no event, and sends nothing. */
function blockForms(): void {
  const block = (event: Event): void => {
    if (!event.isTrusted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener("submit", block, { capture: true });
  untilRestored(() => window.removeEventListener("submit", block, { capture: true }));
}

/** What no homeserver brings back. */
const DESTRUCTION = ["/delete_devices", "/account/deactivate", "/account/3pid/delete", "/logout"];

const isDestroying = (request: string): boolean =>
  DESTRUCTION.some((path) => request.includes(path)) && !changesNothing(request);

/** Waits for a native modal dialog, which is the question, or for a field that must be filled in first. */
async function asked(element: HTMLElement): Promise<boolean> {
  const isAsked = (): boolean =>
    visibleIn(element).some((each) => each.matches("dialog:modal")) ||
    focusedIn(element)?.matches("[aria-invalid=true]") === true;
  await eventually(isAsked);
  await settled(element);
  return isAsked();
}

/** Synapse asks for nothing for some minutes after a confirmation. */
function confirmNothing(): void {
  for (const path of DESTRUCTION) {
    const respond = (): Response => Response.json({ id_server_unbind_result: "success" });
    currentServers().override(`POST ${path}`, respond, { times: Infinity });
  }
}

const INPUTS: readonly Surrounding[] = [
  {
    name: "a pointer on each button, and pressed",
    needs: "button",
    refocuses: true,
    async happens(element) {
      const problems: string[] = [];
      for (const button of buttonsOf(element)) {
        button.scrollIntoView({ block: "center" });
        const { x, y, width, height } = button.getBoundingClientRect();
        await mouse("move", [0, 0]);
        const looks = [lookOf(button)];
        // The style of a part that is still loading may come later.
        const look = async (): Promise<void> => {
          await eventually(() => !looks.includes(lookOf(button)));
          looks.push(lookOf(button));
        };
        await mouse("move", [Math.round(x + width / 2), Math.round(y + height / 2)]);
        await look();
        await mouse("down");
        await look();
        // It is released elsewhere, so it does nothing.
        await mouse("move", [0, 0]);
        await mouse("up");
        if (new Set(looks).size < 3) problems.push(`${nameOf(button)} looks like ${looks.join()}`);
      }
      return problems;
    },
  },
  {
    name: "a screen that turns",
    needs: "button",
    moves: true,
    refocuses: true,
    async happens(element) {
      mainButtonOf(element)?.focus();
      const focus = (): string => nameOf(focusedIn(element) ?? element);
      const places = [focus()];
      for (const turn of [() => resize({ width: 390, height: 844 }), resizeBack]) {
        await turn();
        await settled(element);
        places.push(focus());
      }
      return new Set(places).size > 1 ? [`the focus moves: ${places.join(", ")}`] : [];
    },
  },
  {
    name: "Enter held down",
    needs: "button",
    submits: true,
    forgetsSecrets: true,
    async happens(element, before) {
      (fieldsOf(element)[0] ?? mainButtonOf(element))?.focus();
      const pressed = watchRepeats();
      await sendKeys({ down: "Enter" });
      await reacted(element, before);
      // What comes next might get the focus.
      for (let times = 0; times < 4; times++) {
        await settled(element);
        await sendKeys({ down: "Enter" });
      }
      await sendKeys({ up: "Enter" });
      return pressed();
    },
  },
  {
    name: "a double click",
    needs: "button",
    submits: true,
    forgetsSecrets: true,
    async happens(element) {
      const button = mainButtonOf(element);
      button?.scrollIntoView({ block: "center" });
      const box = button?.getBoundingClientRect();
      if (!box?.width) return ["the button cannot be clicked"];
      await executeServerCommand("send-mouse", {
        type: "click",
        position: [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)],
      });
      return [];
    },
  },
  {
    name: "the button in a frame without forms",
    needs: "button",
    arrange: blockForms,
    submits: true,
    forgetsSecrets: true,
    happens: press,
  },
  {
    name: "Enter in a frame without forms",
    needs: "field",
    arrange: blockForms,
    submits: true,
    forgetsSecrets: true,
    async happens(element, before) {
      fieldsOf(element)[0]?.focus();
      await sendKeys({ press: "Enter" });
      return reacted(element, before);
    },
  },
  {
    name: "offline",
    needs: "button",
    submits: true,
    happens(element, before) {
      respondToAll(() => Response.error());
      return press(element, before);
    },
  },
  {
    name: "every response a 429",
    needs: "button",
    submits: true,
    happens(element, before) {
      const body = { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: HOUR_MS };
      respondToAll(() => Response.json(body, { status: 429 }));
      return press(element, before);
    },
  },
  {
    name: "every response late",
    needs: "button",
    submits: true,
    forgetsSecrets: true,
    async happens(element, before) {
      let respond = (): void => undefined;
      const late = new Promise<undefined>((resolve) => (respond = () => resolve(undefined)));
      respondToAll(() => late);
      const fields = fieldsOf(element);
      const button = mainButtonOf(element);
      const problems = await press(element, before);
      await settled(element);
      const isGone = !fields.every((field) => visibleIn(element).includes(field));
      if (isGone && isBusy(element)) problems.push("the fields are gone while it sends");
      // The user is impatient.
      button?.click();
      await settled(element);
      await drawn();
      respond();
      return problems;
    },
  },
  {
    name: "a code as people type it",
    needs: "code",
    submits: true,
    forgetsSecrets: true,
    async happens(element, before) {
      for (const field of codesOf(element)) field.value = " １２３ ٤٥٦\u200B";
      const problems = await press(element, before);
      await untilIdle(element);
      const sent = sentRequests().filter((each) => !before.sent.includes(each));
      return sent.some((each) => each.includes('"123456"'))
        ? problems
        : [...problems, `sent ${sent.join()}`];
    },
  },
  {
    name: "a page with a long title",
    needs: "button",
    arrange: () => void (document.title = "Lantern 👩‍👩‍👧‍👦 ".repeat(8)),
    submits: true,
    forgetsSecrets: true,
    async happens(element, before) {
      const problems = await press(element, before);
      await untilIdle(element);
      const sent = sentRequests()
        .filter((each) => !before.sent.includes(each))
        .join();
      // Synapse accepts no more characters in a device's name.
      const names = sent.matchAll(/"\w*(?:display|client)_name":"([^"]*)"/g);
      return [
        ...problems,
        ...[...names].flatMap(([, name = ""]) => (name.length > 100 ? name : [])),
      ];
    },
  },
  {
    name: "the user agrees",
    needs: "destructive",
    submits: true,
    // What is removed leaves its place.
    moves: true,
    forgetsSecrets: true,
    async happens(element) {
      confirmNothing();
      const [control] = destructiveIn(element).filter((each) => !/browser/.test(labelOf(each)));
      control?.focus();
      control?.click();
      await asked(element);
      agreeIn(element)?.click();
      await untilIdle(element);
      return [];
    },
  },
  {
    name: "a homeserver that confirms nothing",
    needs: "destructive",
    submits: true,
    async happens(element) {
      confirmNothing();
      const problems: string[] = [];
      for (const control of destructiveIn(element)) {
        if (!control.isConnected || !destructiveIn(element).includes(control)) continue;
        const before = sentRequests().length;
        const label = labelOf(control);
        control.click();
        const isAsked = await asked(element);
        if (!isAsked || sentRequests().slice(before).some(isDestroying))
          problems.push(`${label} asks nothing`);
        cancelIn(element)?.click();
        await settled(element);
      }
      return problems;
    },
  },
];

export const SURROUNDINGS = [...PLACES, ...HAPPENINGS, ...INPUTS];
