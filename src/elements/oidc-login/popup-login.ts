import { toJson } from "../../core/http/json.js";
import { FLOWS, type PendingFlow } from "../../core/oauth/flow-store.js";
import { FLOW_RECORDS, readAuthorizationResponse } from "../../core/oauth/response.js";
import { takeRecord, writeRecord } from "../../core/shared/tab-records.js";
import type { CapturedAuthorization } from "../../sign-in/captured-response.js";
import type { LoginCompletion, SettledLogin } from "../../sign-in/login-completion.js";
import { timeoutOf } from "../../sign-in/login-element.js";
import { ownUrl } from "../../sign-in/page-urls.js";
import { PopupResponseListener } from "../../sign-in/popup-response.js";
import { PopupWindow } from "../../ui/popup-window.js";
import { type SessionAttributes, wantsSession } from "../../sign-in/session-attributes.js";
import { readSessionOptions } from "../../sign-in/session-options.js";
import type { Success } from "../../sign-in/signed-in.js";
import {
  type ChooseStartedSession,
  startedSettings,
  starterOfResponse,
} from "../../sign-in/starter.js";
import { loadCompletion } from "../../sign-in/load-completion.js";
import { Operation } from "../../ui/operation.js";
import type * as AuthorizationPart from "./authorization.js";
import type { OidcLoginElement } from "./oidc-login.js";

export { popupStyles, renderPopupCancel, renderPopupNote } from "./popup-view.js";

/**
 * The events that report that the user leaves the page. In Firefox, `pagehide` is too late if the
 * next page has another process. Safari on iOS has no `beforeunload`:
 * https://developer.mozilla.org/docs/Web/API/Window/beforeunload_event. `pagehide` is enough once
 * test/e2e/popup.test.ts passes with it alone in Firefox.
 */
const LEAVING = ["beforeunload", "pagehide"] as const;

interface PopupLoginListeners {
  /** Called when the provider's response has arrived, possibly from a popup that looked closed. */
  readonly returned: () => void;
  readonly settled: (outcome: SettledLogin) => void;
  /** Called when the user seems to have closed the popup. */
  readonly closed: () => void;
}

type PopupState =
  /** The provider's URL is not known yet. */
  | { readonly name: "opening" }
  | {
      readonly name: "away";
      readonly flow: PendingFlow;
      /** The URL for the link that is shown if the browser has blocked the popup. */
      readonly blockedUrl: string | undefined;
    }
  /** The provider's response has arrived. It is kept with its flow for a retry. */
  | { readonly name: "returned"; readonly response: CapturedAuthorization };

/**
 * A sign-in in a popup. Its flow stays in this page's memory, because the popup has a copy of the
 * page's `sessionStorage` and must not complete the sign-in itself.
 */
export class PopupLogin {
  readonly #host: OidcLoginElement;
  /** The session's store and key at the start of the sign-in. */
  readonly #place: SessionAttributes;
  readonly #listeners: PopupLoginListeners;
  #popup: PopupWindow | undefined;
  #listener: PopupResponseListener | undefined;
  #state: PopupState = { name: "opening" };
  #completion: LoginCompletion | undefined;
  readonly #completing = new Operation();

  /** Call it while handling a click. Later, the browser would block the popup. */
  constructor(host: OidcLoginElement, listeners: PopupLoginListeners) {
    const { persist, store, sessionKey } = (this.#host = host);
    this.#place = { persist, store, sessionKey };
    this.#listeners = listeners;
    this.#popup = PopupWindow.open("", () => this.#onClosed());
  }

  /** Whether the response has arrived, and its tokens are requested. */
  get isCompleting(): boolean {
    return this.#completing.isRunning;
  }

  get blockedUrl(): string | undefined {
    return this.#state.name === "away" ? this.#state.blockedUrl : undefined;
  }

  /** Whether the popup has no opener, or its link gives it none. */
  get isDisowned(): boolean {
    return this.#listener?.needsOpener === false;
  }

  /**
   * Brings the popup to the front. Most browsers allow that only to its opener. @returns Whether it
   * succeeded.
   */
  focus(): boolean {
    if (!this.#popup || this.#popup.window.closed || this.isDisowned) return false;
    this.#popup.window.focus();
    return true;
  }

  showText(text: string): void {
    const page = this.#popup?.window.document;
    if (!page?.body) return;
    page.title = text;
    page.body.textContent = text;
  }

  /** Listens for the response. Sends the popup to the provider if `goes`, and otherwise closes it. */
  start(url: string, flow: PendingFlow, goes: boolean): void {
    this.#state = { name: "away", flow, blockedUrl: this.#popup ? undefined : url };
    this.#listener = new PopupResponseListener(flow.state, (url) => this.#onResponse(url));
    for (const type of LEAVING) window.addEventListener(type, this.#keepFlow);
    if (!goes) return this.#closeWindow();
    // The provider could navigate this page.
    if (this.isDisowned) this.#popup?.disown();
    this.#popup?.go(url);
  }

  /** @returns Whether the response that has arrived can be tried again. */
  retry(): boolean {
    const state = this.#state;
    if (state.name !== "returned" || this.#completion?.canRetry === false) return false;
    void this.#complete(state.response);
    return true;
  }

  cancel(): void {
    if (this.isCompleting) this.#listener?.reply("cancelled");
    this.#completion?.cancel();
    this.#completing.cancel();
    this.#close();
  }

  #onResponse(url: string): void {
    const state = this.#state;
    const given = readAuthorizationResponse(url);
    if (state.name !== "away" || given?.state !== state.flow.state) return;
    const { flow } = state;
    forgetFlow(flow);
    const key = FLOW_RECORDS.prefix + flow.state;
    const record = () => toJson(flow);
    const response = { kind: "oauth", key, ...given, url, record } as const;
    this.#state = { name: "returned", response };
    void this.#complete(response);
    this.#listeners.returned();
  }

  async #complete(response: CapturedAuthorization): Promise<void> {
    await this.#completing.run(async (signal) => {
      // This does not fail, because the code is loaded before the popup opens the provider.
      const { LoginCompletion } = await loadCompletion();
      // The sign-in was cancelled, so the code is not used.
      signal.throwIfAborted();
      this.#completion?.retry();
      const settings = startedSettings(starterOfResponse(response), this.#place);
      const choose = this.#host.chooseSession ?? sessionOptions;
      this.#completion ??= LoginCompletion.of(
        response,
        (account) => choose(settings, account),
        settings.userId,
        timeoutOf(this.#host),
      );
      const outcome = await this.#completion.settled();
      signal.throwIfAborted();
      this.#settle(outcome);
    });
  }

  #settle(outcome: SettledLogin): void {
    const { state } = outcome;
    // An error's cause cannot be sent to another page. The popup must close itself, because it
    // might have no opener.
    this.#listener?.reply(
      state === "success" ? state : { message: outcome.error.message, code: outcome.error.code },
    );
    this.#close();
    this.#listeners.settled(outcome);
    if (state === "success") void this.#finish(outcome);
  }

  async #finish(login: Success): Promise<void> {
    const { reportTokens } = await loadCompletion();
    const returnTo = ownUrl(login.result?.appState?.["returnTo"]);
    // A surrounding element requests the user ID.
    const identifies = !this.#host.chooseSession;
    const leaves = await reportTokens(this.#host, login, returnTo, identifies);
    if (!leaves || returnTo === undefined) return;
    if (login.session && !wantsSession(this.#host)) {
      console.warn(
        "matrix-auth-elements: the tokens are lost when this page closes, unless persist is set",
      );
    }
    location.assign(returnTo);
  }

  #onClosed(): void {
    this.#popup = undefined;
    const state = this.#state;
    // The popup also closes itself after sending its response.
    if (state.name === "returned") return;
    // The module has created the flow, so it is loaded.
    if (state.name === "away") {
      const { flow } = state;
      const note = (part: typeof AuthorizationPart): void => part.noteClosedPopup(flow);
      void import("./authorization.js").then(note, () => undefined);
    }
    this.#listeners.closed();
  }

  #close(): void {
    for (const type of LEAVING) window.removeEventListener(type, this.#keepFlow);
    const listener = this.#listener;
    this.#listener = undefined;
    if (!this.#popup || this.#state.name === "returned") listener?.close();
    // If the popup stays open, it closes itself when the user returns.
    listener?.decline();
    this.#closeWindow(() => listener?.close());
  }

  #closeWindow(onClosed?: () => void): void {
    this.#popup?.close(onClosed);
    this.#popup = undefined;
  }

  /** If the user leaves this page, the sign-in can still be completed in this tab. */
  readonly #keepFlow = (): void => {
    if (this.#state.name !== "away") return;
    const { flow } = this.#state;
    try {
      writeRecord(FLOWS, flow.state, toJson(flow));
    } catch {
      // There is no storage.
    }
  };
}

/** Without a store, the session is kept in this page's memory. */
const sessionOptions: ChooseStartedSession = (settings) =>
  readSessionOptions(settings) ?? { store: "memory" };

/** The flow may have been stored when the user tried to leave the page but stayed. */
function forgetFlow({ state }: PendingFlow): void {
  try {
    takeRecord(FLOWS, state);
  } catch {
    // There is no storage.
  }
}
