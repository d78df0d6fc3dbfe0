// What holds in every state and every surrounding.
import { untilRestored } from "../../support/stub.js";
import { nextFrame } from "@open-wc/testing";
import { isOurs, nameOf, whatIsNarrow } from "../accessibility/modes.js";
import { fieldsOf, focusedIn, textOf, visibleIn } from "./page.js";
import { requestCount, sentRequests } from "./states.js";
import type { Surrounding } from "./surroundings.js";

/** Events of which an app gets the session. */
const WITH_TOKENS = ["oidc-success", "matrix-login-success"];

const EVENTS = [
  ...WITH_TOKENS,
  "oidc-login-start",
  "oidc-redirect",
  "oidc-error",
  "oidc-cancel",
  "uia-success",
  "uia-error",
  "uia-cancel",
  "uia-state-updated",
  "uia-busy-changed",
  "matrix-login-start",
  "matrix-login-error",
  "matrix-login-homeserver",
  "matrix-login-redirect",
  "matrix-account-change",
  "matrix-account-error",
  "matrix-account-sign-out",
  "matrix-account-link",
  "uia-fallback-open",
  "uia-fallback-blocked",
  "uia-fallback-done",
];

/** How many events the page has got. */
let eventCount = 0;

/** What is typed into each field. */
const TYPED = "typed by the user";

/** Records what the page can notice. @returns What was wrong. */
export function watchPage(): () => string[] {
  const problems: string[] = [];
  const say = (...words: readonly unknown[]): void =>
    void problems.push(`console: ${words.map(String).join(" ")}`);
  const { error } = console;
  console.error = say;
  const onError = (event: ErrorEvent | PromiseRejectionEvent): void => {
    // Browsers report it if an observer's callback changes sizes; nothing is lost.
    if (event instanceof ErrorEvent && event.message.startsWith("ResizeObserver")) return;
    problems.push(
      `uncaught: ${event instanceof ErrorEvent ? event.message : String(event.reason)}`,
    );
  };
  const onEvent = (event: Event): void => {
    eventCount++;
    if (WITH_TOKENS.includes(event.type)) return;
    const text = JSON.stringify((event as CustomEvent<unknown>).detail ?? null);
    if (text.includes(TYPED) || /"(access|refresh)_?token"/i.test(text)) {
      problems.push(`${event.type} has a secret`);
    }
  };
  window.addEventListener("error", onError);
  window.addEventListener("unhandledrejection", onError);
  for (const type of EVENTS) document.addEventListener(type, onEvent, true);
  const stop = (): void => {
    console.error = error;
    window.removeEventListener("error", onError);
    window.removeEventListener("unhandledrejection", onError);
    for (const type of EVENTS) document.removeEventListener(type, onEvent, true);
  };
  untilRestored(stop);
  return () => problems;
}

/** A minute. Code that an element loads can take seconds on a busy machine. */
const MANY_FRAMES = 3600;

/** Waits for something that the element will do. @returns Whether it has. */
export async function eventually(isSo: () => boolean): Promise<boolean> {
  for (let frames = 0; frames < MANY_FRAMES && !isSo(); frames++) await nextFrame();
  return isSo();
}

/** Waits until the element has reacted. */
export async function settled(element: HTMLElement): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await (element as { updateComplete?: Promise<unknown> }).updateComplete;
    await nextFrame();
  }
}

/**
 * Types into every empty field.
 *
 * @param homeserver Is looked up while it is typed.
 */
export function typeEverywhere(element: HTMLElement, homeserver: string): void {
  for (const field of fieldsOf(element)) {
    if (field.value) continue;
    field.value =
      field.type === "email"
        ? "typed@mail.example"
        : field.name === "homeserver"
          ? homeserver
          : TYPED;
    field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  }
}

export interface Before {
  readonly text: string;
  readonly state: unknown;
  /** Whether typed passwords and codes count. */
  readonly withSecrets: boolean;
  readonly values: readonly string[];
  readonly focus: Element | null;
  readonly requests: number;
  readonly events: number;
  readonly sent: readonly string[];
}

const isSecret = ({ type, dataset }: HTMLInputElement): boolean =>
  type === "password" || "private" in dataset;

const valuesOf = (element: HTMLElement, withSecrets: boolean): string[] =>
  fieldsOf(element)
    .filter((field) => withSecrets || !isSecret(field))
    .map(({ name, id, value }) => `${name || id}: ${value}`);

export const remember = (element: HTMLElement, withSecrets: boolean): Before => ({
  text: textOf(element),
  state: (element as { state?: unknown }).state,
  withSecrets,
  values: valuesOf(element, withSecrets),
  focus: focusedIn(element),
  requests: requestCount(),
  events: eventCount,
  sent: sentRequests(),
});

const submissionsIn = ({ sent }: Before): readonly string[] =>
  sent.filter((each) => !changesNothing(each));
/** The requests that can ask whether a stage is complete. */
const stagesIn = (sent: readonly string[]): number =>
  sent.filter((each) => /^dialog \{|"auth":\{/.test(each)).length;

/** What a surrounding that submits nothing has changed. */
export function whatChanged(
  element: HTMLElement,
  before: Before,
  { ends = [], asks = false, types = false, refocuses = false }: Surrounding,
): string[] {
  const problems: string[] = [];
  const now = remember(element, before.withSecrets);
  if ([String(before.state), element.localName].some((each) => ends.includes(each))) return [];
  if (now.state !== before.state)
    problems.push(`state ${String(before.state)} became ${String(now.state)}`);
  if (!types && now.text !== before.text)
    problems.push(`text "${before.text}" became "${now.text}"`);
  if (now.values.join() !== before.values.join()) {
    problems.push(`typed ${before.values.join()} became ${now.values.join()}`);
  }
  if (before.focus && now.focus !== before.focus && !(refocuses && now.focus)) {
    const to = now.focus ? `moves to ${nameOf(now.focus)}` : "is lost";
    problems.push(`the focus ${to} from ${nameOf(before.focus)}`);
  }
  const [next, last] = [submissionsIn(now), submissionsIn(before)];
  const poll = stagesIn(next) > stagesIn(last) ? 1 : 0;
  const sent = asks ? next.length - last.length - poll : now.requests - before.requests;
  if (sent > 0) problems.push(`sent ${sent} requests`);
  return problems;
}

/** Whether something is on its way, or another dialog asks for more. */
export function isBusy(element: HTMLElement): boolean {
  const asks = element.matches("uia-dialog") ? "" : ", dialog";
  return visibleIn(element).some((each) =>
    each.matches(`[aria-busy=true], [part~=spinner]${asks}`),
  );
}

/** Waits until nothing is on its way, at most a second. */
export async function untilIdle(element: HTMLElement): Promise<void> {
  for (let frames = 0; frames < 60 && isBusy(element); frames++) await nextFrame();
  await settled(element);
}

/** Whether the user or the page can notice that something has happened, or a request has been sent. */
export const hasReacted = (element: HTMLElement, before: Before): boolean =>
  requestCount() > before.requests ||
  eventCount > before.events ||
  textOf(element) !== before.text ||
  isBusy(element) ||
  (focusedIn(element)?.matches("[aria-invalid=true]") ?? false);

/** Until when layout shifts are what the user has pressed a button for. */
let pressedUntil = 0;

/** Call it once the page shows that a button was pressed. */
export const hasPressed = (): void => void (pressedUntil = performance.now());

/** Adds up the page's layout shifts without a cause of the user's: those since the last press. */
export function watchShifts(): () => number {
  const shifts: LayoutShift[] = [];
  const note = (entries: PerformanceEntryList): void =>
    void shifts.push(...(entries as unknown as LayoutShift[]));
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift" });
  untilRestored(() => observer.disconnect());
  return () => {
    note(observer.takeRecords());
    return shifts
      .filter(({ hadRecentInput, startTime }) => !hadRecentInput && startTime > pressedUntil)
      .reduce((sum, { value }) => sum + value, 0);
  };
}

interface LayoutShift {
  readonly startTime: number;
  readonly value: number;
  readonly hadRecentInput: boolean;
}

/** An element asks with an empty list whether the homeserver asks the user. It may ask more than once. */
export const changesNothing = (request: string): boolean => request.includes('"devices":[]');

/** It asks whether a stage is complete. On a busy machine, more than one is sent while the matrix looks. */
const isPoll = (request: string): boolean => /"auth":\{"session":"[^"]*"\}/.test(request);

/** A dialog that has ended returns the focus to the page. */
export const hasEnded = (element: HTMLElement): boolean =>
  element.matches("uia-dialog:not([open])");

/** What a submission has lost, or sent twice. */
export function whatWasLost(element: HTMLElement, before: Before): string[] {
  const problems: string[] = [];
  const sent = sentRequests().filter(
    (each) => !before.sent.includes(each) && !changesNothing(each) && !isPoll(each),
  );
  for (const request of new Set(sent)) {
    if (sent.indexOf(request) !== sent.lastIndexOf(request))
      problems.push(`sent twice: ${request}`);
  }
  // What is being sent comes back with a failure.
  const isSent = requestCount() > before.requests && !isBusy(element);
  const values = new Set(valuesOf(element, before.withSecrets && isSent));
  for (const value of before.values) {
    const stillThere = [...values].some((each) => each.split(":")[0] === value.split(":")[0]);
    if (stillThere && !values.has(value)) problems.push(`lost ${value}`);
  }
  if (before.focus && !focusedIn(element) && !hasEnded(element)) problems.push("the focus is lost");
  return problems;
}

/** What must hold for whatever is visible. */
export async function whatIsBroken(element: HTMLElement): Promise<string[]> {
  const problems: string[] = [];
  const visible = visibleIn(element);
  for (const field of visible.filter((each) => each.matches("[aria-invalid=true]"))) {
    const ids = field.getAttribute("aria-describedby")?.split(" ") ?? [];
    const root = field.getRootNode() as Document | ShadowRoot;
    const texts = ids
      .map((id) => root.getElementById(id))
      .filter((each) => each?.textContent?.trim());
    if (texts.length === 0) problems.push(`${field.id} is invalid without a reason`);
  }
  for (const error of visible.filter((each) => each.matches("[part~=error]"))) {
    const said =
      error.closest("[role=alert], [role=status], [aria-live]") ??
      error.querySelector("[role=alert]");
    if (!said && error.textContent?.trim()) problems.push("an error is not announced");
  }
  for (const error of visible.filter((each) => each.matches(".error") && isOurs(each))) {
    if (!getComputedStyle(error, "::before").content.includes("!"))
      problems.push(`only the color says that ${nameOf(error)} is an error`);
  }
  problems.push(
    ...whatIsNarrow(visible),
    ...visible.filter(isOurs).flatMap(whatIsUnreadable),
    ...whatZooms(visible),
    ...(await whatIsReachable(element)),
  );
  return problems;
}

/** Identifiers, addresses, and names. */
const VERBATIM = "bdi:is([dir=ltr], [part~=server-name], [part~=server-name] *, h2 *, button *)";

/** What a page's styles for other texts, and translators, make of ours. */
function whatIsUnreadable(element: HTMLElement): string[] {
  const name = nameOf(element);
  const {
    webkitTextFillColor,
    textIndent,
    textTransform,
    lineHeight,
    caretColor,
    userSelect,
    whiteSpace,
  } = getComputedStyle(element);
  const isClear = (color: string): boolean => /^rgba.*, 0\)$/.test(color);
  const isSaid = element.closest(".visually-hidden, .uia-visually-hidden");
  const problems: string[] = [];
  if (isClear(webkitTextFillColor)) problems.push(`the text of ${name} is not visible`);
  if (element.matches(VERBATIM) && (element.translate || textTransform !== "none"))
    problems.push(`${name} might be shown as another one`);
  if (/^[1-9]/.test(textIndent)) problems.push(`the text of ${name} is indented`);
  if (whiteSpace !== "normal" && !isSaid && !element.matches("input, select, option"))
    problems.push(`the text of ${name} does not wrap`);
  if (
    element.matches("button") &&
    element.textContent.trim() &&
    Number.parseFloat(lineHeight) === 0
  )
    problems.push(`the lines of ${name} have no height`);
  if (
    element.matches("input:not([type=submit], [type=checkbox])") &&
    (isClear(caretColor) || userSelect === "none")
  )
    problems.push(`${name} hides the caret, or takes no text`);
  return problems;
}

/** iOS zooms into a field whose text is smaller than 16 px. */
const whatZooms = (visible: readonly HTMLElement[]): string[] =>
  matchMedia("(pointer: coarse)").matches
    ? visible
        .filter(
          (each) =>
            each.matches("input:not([type=checkbox], [type=radio], [type=submit]), select") &&
            isOurs(each),
        )
        .filter((each) => Number.parseFloat(getComputedStyle(each).fontSize) < 16)
        .map((each) => `iOS zooms into ${nameOf(each)}`)
    : [];

/** What cannot be used cannot be reached: the page behind an open dialog. */
async function whatIsReachable(element: HTMLElement): Promise<string[]> {
  const dialog = element.localName === "uia-dialog" && element.hasAttribute("open");
  if (!dialog) return [];
  const behind = document.createElement("button");
  behind.textContent = "Delete everything";
  const outside = document.querySelector("main h1");
  outside?.append(behind);
  await nextFrame();
  behind.focus();
  const reached = document.activeElement === behind;
  behind.remove();
  return reached ? ["the page behind the dialog can be reached"] : [];
}
