import { isJsonObject, isText, parseJson, textIn, toJson } from "../core/http/json.js";
import { wait } from "../core/http/wait.js";
import type { SessionOptions } from "../core/index.js";
import { elementsOnPage, isOnPage } from "../ui/localize.js";
import { pageScriptsDone } from "../ui/page.js";
import type { CapturedResponse } from "./captured-response.js";
import type { Account } from "./session-options.js";
import {
  type SessionAttributes,
  type SessionPersistence,
  wantsSession,
} from "./session-attributes.js";

/**
 * The element that started a sign-in. It is stored in the `appState` of the flow's record.
 *
 * A redirect creates a new page, so the element that started a sign-in is known by its settings.
 * They also determine the session's store and its expected user, and take precedence over the
 * settings of the element that completes the sign-in: a session that must stay in memory is never
 * stored.
 *
 * - **Own**: the element has the same settings. It completes the response immediately, wherever it
 *   is in the document. Elements with the same settings join it. A sign-in that the core started
 *   belongs to the first element.
 * - **Guest**: an `<oidc-callback>` with the same settings as a `<matrix-login>` on the page. It
 *   joins the completion, and leaves the events to the `<matrix-login>`.
 * - **Stand-in**: the element is compatible, but a setting differs, for example because the page
 *   sets `persist` from a checkbox. It completes the response if no own element does so within a
 *   moment.
 * - **Other**: the element is for another key or user, has no custom store, or is of a kind that
 *   never completes the sign-in: `<matrix-login>` completes its own, `<oidc-callback>` also those of
 *   `<oidc-login>`. It ignores the response, which is kept for an element that appears later.
 */
export interface Starter {
  readonly element: StarterElement;
  /** `custom` for a `store`, which a record cannot contain. Undefined if the callback decides. */
  readonly persist?: string;
  readonly sessionKey?: string;
  readonly accounts?: string;
  readonly userId?: string;
  readonly deviceId?: string;
  /** The homeserver that the page has set, not the user's choice. */
  readonly homeserver?: string;
  readonly id?: string;
}

type StarterElement = "oidc-login" | "oidc-callback" | "matrix-login";

/** The settings of an element that starts or completes a sign-in. */
interface StarterSettings extends SessionAttributes {
  readonly accounts?: string | undefined;
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly homeserver?: string | undefined;
  readonly id?: string;
  /** The surrounding element that starts the sign-in, if there is one. */
  readonly starter?: Starter | undefined;
}

/** The session options of an element with the settings of the start. */
export type ChooseStartedSession = (
  settings: ReturnType<typeof startedSettings>,
  account?: Account,
) => SessionOptions | undefined;

type Fit = "own" | "guest" | "stand-in" | "other";

/** The time that a stand-in waits for an element that a framework renders later. */
const STAND_IN_MS = 1000;
/** The interval at which an element's settings are read during this wait. */
const LATE_SETTINGS_MS = 100;

export function starterOf(element: StarterElement, settings: Partial<StarterSettings>): Starter {
  const { store, persist, sessionKey, accounts, userId, deviceId, homeserver, id } = settings;
  // `<oidc-login>` and `<oidc-callback>` leave this setting to each other.
  const place = persist || (element === "matrix-login" ? "none" : undefined);
  const many = accounts === "many" ? accounts : undefined;
  const members = { sessionKey, accounts: many, userId, deviceId, homeserver, id };
  const named = Object.entries({ persist: store ? "custom" : place, ...members });
  return { element, ...Object.fromEntries(named.filter(([, value]) => isText(value))) };
}

/** The member of `appState`. */
export const asAppState = (starter: Starter): { readonly starter: string } => ({
  starter: toJson(starter),
});

/** Undefined for a sign-in that no element started. Other code on the page can write records, too. */
function starterIn(flow: unknown): Starter | undefined {
  const appState = isJsonObject(flow) ? flow["appState"] : undefined;
  const text = isJsonObject(appState) ? appState["starter"] : undefined;
  const starter = isText(text) ? parseJson(text) : undefined;
  if (!isJsonObject(starter)) return undefined;
  const { element, ...members } = starter;
  if (element !== "oidc-login" && element !== "matrix-login") return undefined;
  const texts = Object.entries(members).filter(([, value]) => isText(value));
  return { element, ...Object.fromEntries(texts) };
}

export function starterOfResponse({ record }: CapturedResponse): Starter | undefined {
  try {
    return starterIn(parseJson(record() ?? ""));
  } catch {
    // Its completion reports that the storage is blocked.
    return undefined;
  }
}

/**
 * A record can't contain a custom store, so another setting must distinguish elements with
 * different stores.
 *
 * @param element An element that starts a sign-in in this tab.
 * @returns The fault in their settings, if no setting does.
 */
export function ambiguityOf(
  element: "oidc-login" | "matrix-login",
  settings: StarterSettings,
): string | undefined {
  if (!settings.store) return undefined;
  const isButton = element === "oidc-login";
  // A callback completes the sign-ins of `<oidc-login>`, and compares no more than these.
  const comparedIn = ({ store, persist, sessionKey }: Partial<StarterSettings>) =>
    starterOf(element, { store, persist, sessionKey });
  const textOf = (each: Partial<StarterSettings>): string =>
    toJson(isButton ? comparedIn(each) : starterOf(element, each));
  const isAmbiguous = (other: Partial<StarterSettings>): boolean =>
    !other.starter && other.store !== settings.store && textOf(other) === textOf(settings);
  if (!elementsOnPage(element).some(isAmbiguous)) return undefined;
  return faultOf(element, isButton ? "session-key" : "id or session-key");
}

/**
 * Callbacks that would complete the same response must keep its session in the same place: their order in the
 * document decides nothing.
 *
 * @returns The fault in their settings, if they don't.
 */
export function callbackAmbiguityOf(
  starter: Starter | undefined,
  settings: SessionAttributes,
): string | undefined {
  const fit = (each: SessionAttributes): Fit => fitOf(starter, starterOf("oidc-callback", each));
  const own = startedSettings(starter, settings);
  const isAmbiguous = (other: SessionAttributes & { readonly manual?: boolean }): boolean => {
    if (other.manual || fit(other) !== fit(settings)) return false;
    const its = startedSettings(starter, other);
    return its.store !== own.store || placeOf(its) !== placeOf(own);
  };
  const callbacks = elementsOnPage("oidc-callback") as readonly SessionAttributes[];
  return callbacks.some(isAmbiguous) ? faultOf("oidc-callback", "session-key") : undefined;
}

/** False if no session is stored. */
const placeOf = (settings: SessionAttributes): string | false =>
  wantsSession(settings) &&
  toJson([settings.store ? "" : settings.persist, settings.sessionKey || ""]);

const faultOf = (element: StarterElement, needed: string): string =>
  `Each <${element}> with another store needs its own ${needed}`;

/** The settings for creating the session: those from the start of the sign-in. */
export function startedSettings(
  starter: Starter | undefined,
  settings: StarterSettings,
): SessionAttributes & Pick<StarterSettings, "accounts" | "userId"> {
  if (!starter) return settings;
  const { element, persist, sessionKey, accounts, userId } = starter;
  const isNamed = persist !== undefined && persist !== "custom";
  return {
    store: isNamed ? undefined : settings.store,
    // The value is checked when it is used.
    persist: isNamed ? (persist as SessionPersistence) : settings.persist,
    sessionKey: element === "oidc-login" ? (sessionKey ?? settings.sessionKey) : sessionKey,
    accounts,
    userId,
  };
}

export function fitOf(starter: Starter | undefined, own: Starter): Fit {
  if (!starter) return "own";
  const isCallback = own.element === "oidc-callback";
  const isSame = (name: keyof Starter): boolean => starter[name] === own[name];
  const contradicts = (name: keyof Starter): boolean => own[name] !== undefined && !isSame(name);
  const leavesKey = starter.element === "oidc-login" && starter.sessionKey === undefined;
  if (contradicts("sessionKey") && !leavesKey) return "other";
  if (starter.persist === "custom" && own.persist !== "custom") return "other";
  if (isCallback) {
    const leavesPersist = starter.persist === undefined || own.persist === undefined;
    const isTwin = (leavesPersist || isSame("persist")) && (leavesKey || isSame("sessionKey"));
    const isAtStarter = starter.element === "matrix-login" && isOnPage("matrix-login");
    if (!isTwin) return "stand-in";
    return isAtStarter ? "guest" : "own";
  }
  if (!isSame("element") || contradicts("userId")) return "other";
  const names = ["persist", "sessionKey", "accounts", "userId", "deviceId", "homeserver"] as const;
  return names.every(isSame) && isSame("id") ? "own" : "stand-in";
}

/**
 * Resolves to whether an element completes a response or joins its completion.
 *
 * @param own Reads the element's settings, which the page might set late.
 */
export async function mayComplete(
  response: CapturedResponse,
  own: () => Starter,
): Promise<boolean> {
  const starter = starterOfResponse(response);
  const isOwn = (): boolean => fitOf(starter, own()) === "own";
  if (isOwn()) return true;
  await pageScriptsDone();
  for (let waited = 0; waited < STAND_IN_MS; waited += LATE_SETTINGS_MS) {
    if (isOwn()) return true;
    await wait(LATE_SETTINGS_MS);
  }
  const settings = own();
  const fit = fitOf(starter, settings);
  if (fit !== "stand-in") return fit !== "other";
  const text = toJson(settings);
  if (!response.completion) response.standIn ??= text;
  // If the element is created again, the new element joins.
  return response.standIn === text;
}

const CHOSEN = "matrix-auth-elements:homeserver";

/** Keeps the user's choice for the element that started the sign-in, if it failed on another page. */
export function keepChosen(appState: Readonly<Record<string, string>> | undefined): void {
  try {
    if (appState?.["homeserver"]) sessionStorage.setItem(CHOSEN, toJson(appState));
  } catch {
    // Without storage, the user must choose again.
  }
}

export function takeChosen(own: Starter): string | undefined {
  try {
    const kept = Object(parseJson(sessionStorage.getItem(CHOSEN) ?? "")) as Record<string, unknown>;
    const { homeserver, starter = toJson(own) } = kept;
    if (starter !== toJson(own)) return undefined;
    sessionStorage.removeItem(CHOSEN);
    return textIn(homeserver);
  } catch {
    return undefined;
  }
}
