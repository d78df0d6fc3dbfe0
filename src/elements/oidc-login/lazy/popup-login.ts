import { noteClosedPopup } from "../../../core/oauth/client-cache.js";
import { FLOWS, type PendingFlow } from "../../../core/oauth/flow-store.js";
import { readAuthorizationResponse } from "../../../core/oauth/response.js";
import { takeRecord, writeRecord } from "../../../core/shared/tab-records.js";
import type { CapturedAuthorization } from "../../../sign-in/captured-response.js";
import type { LoginCompletion, SettledLogin } from "../../../sign-in/lazy/login-completion.js";
import { ownUrl } from "../../../sign-in/lazy/page.js";
import { PopupResponseListener, PopupWindow } from "../../../sign-in/lazy/popup.js";
import { readSessionOptions, type Success } from "../../../sign-in/lazy/signed-in.js";
import {
  type ChooseStartedSession,
  startedSettings,
  starterOfResponse,
} from "../../../sign-in/lazy/starter.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { Operation } from "../../../ui/operation.js";
import type { OidcLoginElement } from "../oidc-login.js";

export { renderPopupCancel, renderPopupNote } from "./popup-view.js";

/**
 * In Firefox `pagehide` is too late if another process takes over, and Safari on iOS has no
 * `beforeunload`: https://developer.mozilla.org/docs/Web/API/Window/beforeunload_event. `pagehide`
 * is enough once test/e2e/popup.test.ts passes with it alone in Firefox.
 */
const LEAVING = ["beforeunload", "pagehide"] as const;

export interface PopupLoginListeners {
  readonly settled: (outcome: SettledLogin) => void;
  /** The user has closed the popup, as far as can be detected. */
  readonly closed: () => void;
}

/**
 * A sign-in in a popup. Its flow stays in this page's memory, because the popup has a copy of the
 * page's `sessionStorage` and must not complete the sign-in too.
 */
export class PopupLogin {
  readonly #host: OidcLoginElement;
  readonly #listeners: PopupLoginListeners;
  #popup: PopupWindow | undefined;
  /** Whether the popup has, or its link gives it, no opener. */
  #disowned = false;
  #listener: PopupResponseListener | undefined;
  #flow: PendingFlow | undefined;
  /** The provider's response with its flow, kept for a retry. */
  #response: CapturedAuthorization | undefined;
  #completion: LoginCompletion | undefined;
  readonly #completing = new Operation();
  /** The URL to open with a link if the browser has blocked the popup. */
  #blockedUrl: string | undefined;

  /** Call it while handling a click: later the browser would block the popup. */
  constructor(host: OidcLoginElement, listeners: PopupLoginListeners) {
    this.#host = host;
    this.#listeners = listeners;
    this.#popup = PopupWindow.open("", () => this.#onClosed());
  }

  /** Whether the response has arrived, and its tokens are requested. */
  get isCompleting(): boolean {
    return this.#completing.isRunning;
  }

  get isDisowned(): boolean {
    return this.#disowned;
  }

  get blockedUrl(): string | undefined {
    return this.#blockedUrl;
  }

  /** Whether the popup can be brought to the front: most browsers allow that only to its opener. */
  focus(): boolean {
    if (!this.#popup || this.#popup.window.closed || this.#disowned) return false;
    this.#popup.window.focus();
    return true;
  }

  showText(text: string): void {
    const page = this.#popup?.window.document;
    if (!page?.body) return;
    page.title = text;
    page.body.textContent = text;
  }

  /** Sends the popup to the provider, or closes it unless `goes`, and listens for the response. */
  start(url: string, flow: PendingFlow, goes: boolean): void {
    this.#flow = flow;
    this.#listener = new PopupResponseListener(flow.state, (url) => this.#onResponse(url));
    this.#disowned = !this.#listener.needsOpener;
    if (!this.#popup) this.#blockedUrl = url;
    for (const type of LEAVING) window.addEventListener(type, this.#keepFlow);
    if (!goes) return this.#closeWindow();
    // The provider could navigate this page.
    if (this.#disowned) this.#popup?.disown();
    this.#popup?.go(url);
  }

  /** @returns Whether the response that has arrived can be tried again. */
  retry(): boolean {
    if (!this.#response || this.#completion?.canRetry === false) return false;
    void this.#complete(this.#response);
    return true;
  }

  cancel(): void {
    if (this.isCompleting) this.#listener?.reply("cancelled");
    this.#completion?.cancel();
    this.#completing.cancel();
    this.#close();
  }

  #onResponse(url: string): void {
    const flow = this.#flow;
    const response = readAuthorizationResponse(url);
    if (!flow || response?.state !== flow.state) return;
    this.#flow = undefined;
    forgetFlow(flow);
    this.#response = {
      kind: "oauth",
      records: FLOWS,
      ...response,
      url,
      record: () => JSON.stringify(flow),
    };
    void this.#complete(this.#response);
    this.#host.stateChanged();
  }

  async #complete(response: CapturedAuthorization): Promise<void> {
    await this.#completing.run(async (signal) => {
      // This does not fail: the code is loaded before the popup goes to the provider.
      const { LoginCompletion } = await loadCompletion();
      // The sign-in was cancelled, so the code is not used.
      signal.throwIfAborted();
      this.#completion?.retry();
      const settings = startedSettings(starterOfResponse(response), this.#host);
      const choose: ChooseStartedSession = this.#host.chooseSession ?? readSessionOptions;
      this.#completion ??= LoginCompletion.of(
        response,
        (account) => choose(settings, account),
        settings.userId,
      );
      const outcome = await this.#completion.settled();
      signal.throwIfAborted();
      this.#settle(outcome);
    });
  }

  #settle(outcome: SettledLogin): void {
    const { state } = outcome;
    // A cause cannot be sent to another page. The popup might have no opener that could close it.
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
    if (!login.session) {
      console.warn(
        "matrix-auth-elements: the tokens are lost when this page closes, unless persist is set",
      );
    }
    location.assign(returnTo);
  }

  #onClosed(): void {
    this.#popup = undefined;
    // The popup also closes itself after sending its response.
    if (this.#response) return;
    if (this.#flow) noteClosedPopup(this.#flow);
    this.#listeners.closed();
  }

  #close(): void {
    for (const type of LEAVING) window.removeEventListener(type, this.#keepFlow);
    const listener = this.#listener;
    this.#listener = undefined;
    if (!this.#popup || this.#response) listener?.close();
    // If it stays open, it closes itself when the user returns.
    listener?.decline();
    this.#closeWindow(() => listener?.close());
  }

  #closeWindow(onClosed?: () => void): void {
    this.#popup?.close(onClosed);
    this.#popup = undefined;
  }

  /** If this page is left, the sign-in can still be completed in this tab. */
  readonly #keepFlow = (): void => {
    try {
      if (this.#flow) writeRecord(FLOWS, this.#flow.state, JSON.stringify(this.#flow));
    } catch {
      // No storage.
    }
  };
}

/** The flow may have been stored by an attempt to leave the page that did not happen. */
function forgetFlow({ state }: PendingFlow): void {
  try {
    takeRecord(FLOWS, state);
  } catch {
    // No storage.
  }
}
