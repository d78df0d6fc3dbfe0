import { nextFrame } from "@open-wc/testing";
import { executeServerCommand, setViewport } from "@web/test-runner-commands";
import "matrix-auth-elements/locales/ar";

/** A user's screen and settings, and the rules for them in addition to axe's. */
export interface Mode {
  readonly name: string;
  readonly media?: Readonly<Record<string, string>>;
  /** CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Styles of the page's root element. */
  readonly style?: Partial<CSSStyleDeclaration>;
  readonly dir?: "rtl";
  /** The page's language. Default: English. */
  readonly lang?: string;
  /** The axe rules whose result may differ from the first mode. Default: all. */
  readonly axeRules?: readonly string[];
  /** @returns The problems of the elements, in words. */
  readonly check?: (elements: readonly HTMLElement[]) => readonly string[];
}

/** A narrow window or large text can move controls together, and make content scroll. */
const BY_SIZE = ["target-size", "scrollable-region-focusable"];

const MEDIA = {
  "prefers-color-scheme": "light",
  "prefers-reduced-motion": "no-preference",
  "forced-colors": "none",
};
const WIDTH = 1000;
/** Tall enough that no measurement needs scrolling. */
const HEIGHT = 2000;

/** The modes are grouped by width, because each change of the window's size takes time. */
export const MODES: readonly Mode[] = [
  { name: "light" },
  { name: "dark", media: { "prefers-color-scheme": "dark" }, axeRules: ["color-contrast"] },
  // axe reads colors from a property that Chromium does not change in this mode.
  { name: "forced colors", media: { "forced-colors": "active" }, axeRules: [], check: whatFades },
  {
    name: "forced colors, dark",
    media: { "forced-colors": "active", "prefers-color-scheme": "dark" },
    axeRules: [],
    check: whatFades,
  },
  {
    name: "reduced motion",
    media: { "prefers-reduced-motion": "reduce" },
    axeRules: [],
    check: whatMoves,
  },
  // Mirrored, everything has the same size; the narrow mode below has less room.
  { name: "right to left", dir: "rtl", axeRules: [] },
  { name: "200 % text", style: { fontSize: "200%" }, axeRules: [] },
  { name: "320 px", width: 320, axeRules: [] },
  {
    name: "right to left, 320 px and 200 % text",
    dir: "rtl",
    width: 320,
    style: { fontSize: "200%" },
    axeRules: BY_SIZE,
  },
  {
    name: "320 px and 200 % text",
    width: 320,
    style: { fontSize: "200%" },
    axeRules: [...BY_SIZE, "color-contrast"],
  },
  { name: "Arabic", dir: "rtl", lang: "ar", width: 390, axeRules: [], check: whatStartsWrong },
  {
    name: "Arabic, 320 px and 200 % text",
    dir: "rtl",
    lang: "ar",
    width: 320,
    style: { fontSize: "200%" },
    axeRules: [],
    check: whatStartsWrong,
  },
  {
    // WCAG 2.2, 1.4.12.
    name: "text spacing",
    width: 320,
    style: { lineHeight: "1.5", letterSpacing: "0.12em", wordSpacing: "0.16em" },
    axeRules: [],
  },
];

/** The browser's last settings: each change is a round trip to the test runner. */
let set = { features: "", size: "" };

async function emulateFeatures(features: Readonly<Record<string, string>>): Promise<void> {
  const wanted = JSON.stringify(features);
  if (wanted !== set.features) await executeServerCommand("emulate-features", features);
  set = { ...set, features: wanted };
}

async function resize(width: number, height: number): Promise<void> {
  const wanted = `${width}x${height}`;
  if (wanted !== set.size) await setViewport({ width, height });
  set = { ...set, size: wanted };
}

/** Turns the page into a mode, from any other. */
export async function enter({
  media,
  width = WIDTH,
  height = HEIGHT,
  style,
  dir,
  lang = "en",
}: Mode): Promise<void> {
  await emulateFeatures({ ...MEDIA, ...media });
  await resize(width, height);
  const { documentElement: root } = document;
  root.removeAttribute("style");
  Object.assign(root.style, { colorScheme: "light dark", background: "Canvas", ...style });
  root.dir = dir ?? "";
  if (root.lang === lang) return;
  root.lang = lang;
  // The elements notice the language, and render again.
  await nextFrame();
  await nextFrame();
}

/** Resets the page's modes, because the browser window is reused for the next file. */
export async function leaveModes(): Promise<void> {
  // A test might have changed the settings itself.
  set = { features: "", size: "" };
  await enter({ name: "", width: 800, height: 600 });
  await emulateFeatures({});
  document.documentElement.removeAttribute("style");
}

/** Every element that a user can see, in any shadow tree. */
export function visibleElements(root: ParentNode = document.body): readonly HTMLElement[] {
  const visible: HTMLElement[] = [];
  for (const element of root.querySelectorAll("*")) {
    if (element instanceof HTMLElement && element.checkVisibility({ visibilityProperty: true })) {
      if (getComputedStyle(element).display !== "contents") visible.push(element);
    }
    if (element.shadowRoot) visible.push(...visibleElements(element.shadowRoot));
  }
  return visible;
}

export const nameOf = (element: Element): string =>
  `<${element.localName} ${element.getAttribute("part") ?? element.getAttribute("name") ?? element.className}>`;

/** Whether the element is hidden from sight, and only for screen readers. */
export const isSaid = (element: Element): boolean =>
  getComputedStyle(element).clipPath !== "none" ||
  (element.parentElement !== null && isSaid(element.parentElement));

/** Whether the element is ours: slotted content belongs to the page. */
export const isOurs = (element: Element): boolean =>
  element.getRootNode() instanceof ShadowRoot || element.closest(".uia-fields") !== null;

export const ourVisibleElements = (): readonly HTMLElement[] =>
  visibleElements().filter((element) => isOurs(element) && !isSaid(element));

/** Finds content that a user must scroll sideways for, or cannot read (WCAG 2.2, 1.4.10). */
export function whatOverflows(elements: readonly HTMLElement[]): string[] {
  const problems: string[] = [];
  // A rotating element takes more room at some moments.
  for (const element of elements) {
    for (const animation of element.getAnimations()) animation.cancel();
  }
  for (const element of elements) {
    const { left, right } = element.getBoundingClientRect();
    if (left < -0.5 || right > document.documentElement.clientWidth + 0.5) {
      problems.push(`${nameOf(element)} is out of the page`);
    }
    // A field scrolls its own text.
    if (element.matches("input, select, iframe") || element.clientWidth === 0) continue;
    if (element.scrollWidth > element.clientWidth) {
      problems.push(`${nameOf(element)} is narrower than its content`);
    }
  }
  return problems;
}

const CONTROLS = "button, a[href], input, select, textarea, summary, [tabindex='0']";
/** In CSS pixels (WCAG 2.2, 2.5.8). */
const TARGET_SIZE = 24;

/** The first of the letters that have a direction, which decides where a line of the text starts. */
const isArabic = (text: string): boolean => /^[^\p{L}]*\p{Script=Arabic}/u.test(text);

/** Where the text is that a user can see. */
function textRects(element: HTMLElement): readonly DOMRect[] {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const rects: DOMRect[] = [];
  const range = document.createRange();
  while (texts.nextNode()) {
    const { parentElement } = texts.currentNode;
    if (!parentElement || isSaid(parentElement)) continue;
    range.selectNodeContents(texts.currentNode);
    rects.push(...range.getClientRects());
  }
  return rects;
}

/** Whether all that is in it is in its lines. */
const hasLines = ({ children }: Element): boolean =>
  [...children].every((each) => /^(inline|contents)/.test(getComputedStyle(each).display));

/** Finds texts that do not start where their language's lines do. */
function whatStartsWrong(elements: readonly HTMLElement[]): readonly string[] {
  const problems: string[] = [];
  for (const element of elements) {
    const text = element.textContent ?? "";
    const { display, textAlign, paddingLeft, paddingRight } = getComputedStyle(element);
    const isText = display === "block" && textAlign !== "center" && hasLines(element);
    if (!isArabic(text) || !isText) continue;
    const rects = textRects(element);
    if (rects.length === 0) continue;
    const box = element.getBoundingClientRect();
    const atEnd =
      Math.min(...rects.map(({ left }) => left)) - box.left - Number.parseFloat(paddingLeft);
    const atStart =
      box.right - Number.parseFloat(paddingRight) - Math.max(...rects.map(({ right }) => right));
    if (atStart > atEnd + 16) problems.push(`${nameOf(element)} starts at the wrong side`);
  }
  return problems;
}

const IP_ADDRESS = /^[\da-f.:]+$/;

/** Finds lines of text that are narrower than eight letters, and buttons with a broken word. */
export function whatIsNarrow(elements: readonly HTMLElement[]): string[] {
  const problems: string[] = [];
  for (const element of elements) {
    for (const node of element.childNodes) {
      if (!(node instanceof Text)) continue;
      const words = IP_ADDRESS.test(node.data) ? /[^.:]+/g : /[^\s-]+/g;
      for (const { 0: word, index } of node.data.matchAll(words)) {
        const limit = element.closest("button") ? 20 : 8;
        if (word.length > limit) continue;
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) problems.push(`"${word}" in ${nameOf(element)} is broken`);
      }
    }
  }
  return problems;
}

/** Finds controls that are too small to hit. Links in a line of text are exempt. */
export function whatIsTooSmall(elements: readonly HTMLElement[]): string[] {
  const problems: string[] = [];
  for (const element of elements) {
    if (!element.matches(CONTROLS) || element.closest("label")) continue;
    const { width, height } = element.getBoundingClientRect();
    if (Math.min(width, height) < TARGET_SIZE) {
      problems.push(`${nameOf(element)} is ${Math.round(width)} × ${Math.round(height)} px`);
    }
  }
  return problems;
}

/** Finds animations other than the spinner, which may turn slowly. */
function whatMoves(elements: readonly HTMLElement[]): readonly string[] {
  return elements
    .filter((element) => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
      const slow = animationName === "none" || Number.parseFloat(animationDuration) >= 3;
      return !slow || Number.parseFloat(transitionDuration) > 0;
    })
    .map((element) => `${nameOf(element)} moves`);
}

/** Finds content that the system's colors hide. */
function whatFades(elements: readonly HTMLElement[]): readonly string[] {
  const problems: string[] = [];
  for (const element of elements) {
    const { color, borderColor, borderStyle, textDecorationLine } = getComputedStyle(element);
    const behind = backgroundBehind(element);
    // The browser has the page's color behind each text.
    const isCovered = color === getComputedStyle(document.documentElement).backgroundColor;
    if (hasText(element) && (color === behind || isCovered))
      problems.push(`the text of ${nameOf(element)} is not visible`);
    const bounded =
      (borderStyle !== "none" && borderColor !== behind) || textDecorationLine !== "none";
    if (element.matches("button, [part=initial]") && !bounded) {
      problems.push(`where ${nameOf(element)} ends is not visible`);
    }
    if (element.matches("button") && hasText(element) && isTight(element)) {
      problems.push(`the border of ${nameOf(element)} touches its text`);
    }
    if (element.matches("[part=spinner]") && !hasGap(element)) {
      problems.push(`that ${nameOf(element)} turns is not visible`);
    }
  }
  return problems;
}

/** Whether a transparent border, which the system colors here, touches the content. */
function isTight(element: Element): boolean {
  const { borderLeftStyle, borderLeftWidth, paddingLeft } = getComputedStyle(element);
  return borderLeftStyle !== "none" && borderLeftWidth !== "0px" && paddingLeft === "0px";
}

/** Whether the ring has a gap, without which a user cannot see it turn. */
function hasGap(ring: Element): boolean {
  const { borderTopWidth, borderBottomWidth } = getComputedStyle(ring);
  return borderTopWidth === "0px" && borderBottomWidth !== "0px";
}

const hasText = ({ childNodes }: Element): boolean =>
  [...childNodes].some((node) => node instanceof Text && node.data.trim());

/** The nearest background that is not transparent. */
function backgroundBehind(element: Element): string {
  for (let each: Element | null = element; each; each = parentOf(each)) {
    const { backgroundColor } = getComputedStyle(each);
    if (!/, 0\)$/.test(backgroundColor)) return backgroundColor;
  }
  return "";
}

const parentOf = (element: Element): Element | null =>
  element.assignedSlot ??
  element.parentElement ??
  (element.getRootNode() instanceof ShadowRoot ? (element.getRootNode() as ShadowRoot).host : null);
