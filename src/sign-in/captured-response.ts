import {
  readSsoResponse,
  SSO_RECORDS,
  type SsoResponse,
  withoutSsoResponse,
} from "../core/legacy/sso-response.js";
import {
  type AuthorizationResponse,
  FLOW_RECORDS,
  readAuthorizationResponse,
  STATE_PREFIX,
  withoutAuthorizationResponse,
} from "../core/oauth/response.js";
import { peekRecord } from "../core/shared/tab-records.js";
import { page } from "../ui/reload.js";

/** The end of the `state` of a sign-in in a popup. The callback page in the popup recognizes it. */
export const POPUP_STATE = "popup";

export const isPopupState = (state: string): boolean => state.endsWith(`;${POPUP_STATE}`);

/** A response to a sign-in, taken from the address bar, with the sign-in's data in this tab. */
interface Captured {
  readonly url: string;
  /** The key of the sign-in's record in `sessionStorage`. */
  readonly key: string;
  /** Returns the sign-in's record, or throws the browser's error if the storage is blocked. */
  readonly record: () => string | null;
  /** The completion. It is stored here so that every copy of the code on the page finds it. */
  completion?: object;
  /** The settings of the element that completes it instead of the one that started it. */
  standIn?: string;
  /**
   * Whether the outcome was reported or must not be reported. Other elements then ignore the
   * response.
   */
  isReported?: boolean;
}

export type CapturedAuthorization = AuthorizationResponse & Captured & { readonly kind: "oauth" };
export type CapturedSso = SsoResponse & Captured & { readonly kind: "sso" };
export type CapturedResponse = CapturedAuthorization | CapturedSso;
type Uncaptured = Omit<CapturedAuthorization, "record"> | Omit<CapturedSso, "record">;

/** The last captured response. Each response is used only once. */
let captured: CapturedResponse | undefined;

/**
 * Removes the response from a URL, if this library started the sign-in. It is synchronous, so that
 * no request is sent while the code is in the address bar, and the sign-in is taken only once.
 */
export function captureResponse(url: string): CapturedResponse | undefined {
  const response = readResponse(url);
  if (!response) return undefined;
  const rest =
    response.kind === "sso" ? withoutSsoResponse(url) : withoutAuthorizationResponse(url, response);
  replaceUrl(url, rest);
  if (captured?.state === response.state) return captured;
  const taken = (captured = { ...response, record: takeNow(response.key) });
  page.reload = () => reload(taken);
  return taken;
}

/** The response in the page's original URL, even if it is no longer in the address bar. */
export const pageResponse = (): CapturedResponse | undefined =>
  captureResponse(location.href) ?? captured;

/**
 * Takes the page's response before a router can read it from the URL. If the core started the
 * sign-in, not an element, the response stays in the URL for the core.
 */
export function captureEarly(): void {
  // A server has no URL.
  const response =
    (globalThis as Partial<typeof globalThis>).location && readResponse(location.href);
  if (!response) return;
  const { state, key } = response;
  if (isPopupState(state) || peekRecord(key)?.includes("startUrl")) pageResponse();
}

function readResponse(url: string): Uncaptured | undefined {
  const isOurs = ({ key, state }: Uncaptured): boolean =>
    captured?.state === state || peekRecord(key) !== null;
  const sso = readSsoResponse(url);
  if (sso) {
    const response = { kind: "sso", key: SSO_RECORDS.prefix + sso.state, url, ...sso } as const;
    if (isOurs(response)) return response;
  }
  const oauth = readAuthorizationResponse(url);
  if (oauth) {
    const key = FLOW_RECORDS.prefix + oauth.state;
    const response = { kind: "oauth", key, url, ...oauth } as const;
    if (oauth.state.startsWith(STATE_PREFIX) || isOurs(response)) return response;
  }
  return undefined;
}

export function withoutResponse(url: string): string {
  const oauth = readAuthorizationResponse(url);
  if (oauth) return withoutAuthorizationResponse(url, oauth);
  return readSsoResponse(url) ? withoutSsoResponse(url) : url;
}

const RETRY_MS = 1000;

/** The next attempt to replace the page's URL. All callers share it. */
let nextTry: ReturnType<typeof setTimeout> | undefined;

/** Replaces the page's URL once the browser lets it, unless the URL has changed since. */
function replaceUrl(from: string, to: string): void {
  if (location.href !== from) return;
  tryToReplaceUrl(to);
  clearTimeout(nextTry);
  if (location.href !== to) nextTry = setTimeout(() => replaceUrl(from, to), RETRY_MS);
}

/**
 * Browsers limit how often a page can do this, for example WebKit to 100 times in 10 seconds. After
 * that they throw or do nothing.
 *
 * @see https://html.spec.whatwg.org/multipage/nav-history-apis.html#shared-history-push/replace-state-steps
 */
function tryToReplaceUrl(to: string): void {
  try {
    history.replaceState(history.state, "", to);
  } catch {
    // The URL stays unchanged, which callers can detect.
  }
}

/** Synchronous: a record is used once, so nothing may happen between reading and removing it. */
function takeNow(key: string): () => string | null {
  try {
    const record = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    return () => record;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The sign-in continues on the reloaded page. */
function reload({ key, record, url }: CapturedResponse): void {
  try {
    const stored = record();
    if (stored !== null) sessionStorage.setItem(key, stored);
  } catch {
    // Without storage, only a sign-in in a popup can succeed, because its opener has the flow.
  }
  // First try without a navigation, because a router could read the new URL.
  tryToReplaceUrl(url);
  if (location.href !== url) location.replace(url);
  // If only the fragment differs, the navigation has not reloaded the page.
  if (location.href === url) location.reload();
}
