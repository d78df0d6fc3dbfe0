import { html, nothing, type TemplateResult } from "lit";
import { forgetClient, REGISTRATION_STATE } from "../../../core/oauth/client-cache.js";
import { FLOWS, type PendingFlow } from "../../../core/oauth/flow-store.js";
import { readAuthorizationResponse } from "../../../core/oauth/response.js";
import { takeRecord, writeRecord } from "../../../core/shared/tab-records.js";
import { fieldTexts, popupTexts } from "../../../texts/english.js";
import type { CapturedAuthorization } from "../../../sign-in/captured-response.js";
import type { LoginCompletion, SettledLogin } from "../../../sign-in/lazy/login-completion.js";
import { ownUrl } from "../../../sign-in/lazy/page.js";
import {
  type PopupOutcome,
  PopupResponseListener,
  PopupWindow,
} from "../../../sign-in/lazy/popup.js";
import { readSessionOptions, type Success } from "../../../sign-in/lazy/signed-in.js";
import {
  type ChooseStartedSession,
  startedSettings,
  starterOfResponse,
} from "../../../sign-in/lazy/starter.js";
import { loadCompletion } from "../../../sign-in/parts.js";
import { addTexts } from "../../../texts/texts.js";
import { Turn } from "../../../ui/element.js";
import type { LoginHost } from "./settings.js";

addTexts({ $code: "en", ...popupTexts, cancel: fieldTexts.cancel });

/**
 * In Firefox `pagehide` is too late if another process takes over, and Safari on iOS has no
 * `beforeunload`: https://developer.mozilla.org/docs/Web/API/Window/beforeunload_event. `pagehide`
 * is enough once test/e2e/popup.test.ts passes with it alone in Firefox.
 */
const LEAVING = ["beforeunload", "pagehide"] as const;

/** How often a popup was closed without a response, by the registration's fingerprint. */
const closedPopups = new Map<string, number>();

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
  readonly #host: LoginHost;
  readonly #listeners: PopupLoginListeners;
  #popup: PopupWindow | undefined;
  /** Whether the popup has, or its link gives it, no opener. */
  #disowned = false;
  #listener: PopupResponseListener | undefined;
  #flow: PendingFlow | undefined;
  /** The provider's response with its flow, kept for a retry. */
  #response: CapturedAuthorization | undefined;
  #completion: LoginCompletion | undefined;
  #completing: Turn | undefined;
  /** The URL to open with a link if the browser has blocked the popup. */
  #blockedUrl: string | undefined;

  /** Call it while handling a click: later the browser would block the popup. */
  constructor(host: LoginHost, listeners: PopupLoginListeners) {
    this.#host = host;
    this.#listeners = listeners;
    this.#popup = PopupWindow.open("", () => this.#onClosed());
  }

  get completing(): boolean {
    return !!this.#completing;
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

  renderNote(): TemplateResult {
    const { localize } = this.#host;
    const url = this.#completing ? undefined : this.#blockedUrl;
    const text = this.#completing ? "completing" : url ? "popupBlocked" : "popupOpened";
    const link = html`<a
      part="link"
      href=${url ?? nothing}
      target="_blank"
      rel=${this.#disowned ? "noopener" : "opener"}
      >${localize.term("popupLink")}</a
    >`;
    return html`<div class="note" part="text">${localize.term(text)} ${url ? link : nothing}</div>`;
  }

  renderCancel(): TemplateResult {
    return html`<button part="cancel" type="button" @click=${() => this.#host.cancel()}>
      ${this.#host.localize.term("cancel")}
    </button>`;
  }

  /** Sends the popup to the provider, or closes it unless `goes`, and listens for the response. */
  start(url: string, flow: PendingFlow, goes: boolean): void {
    this.#flow = flow;
    this.#listener = new PopupResponseListener(flow.state, (url) => this.#onResponse(url));
    this.#disowned = !this.#listener.needsOpener;
    if (!this.#popup) this.#blockedUrl = url;
    for (const type of LEAVING) window.addEventListener(type, this.#keepFlow);
    if (!goes) return this.#closePopup();
    // The provider could navigate this page.
    if (this.#disowned) this.#popup?.disown();
    this.#popup?.go(url);
  }

  retry(): boolean {
    if (!this.#response || this.#completion?.canRetry === false) return false;
    void this.#complete(this.#response);
    return true;
  }

  /** Closes the popup. @param outcome Sent to a popup that might have no opener to close it. */
  end(outcome: PopupOutcome = "cancelled"): void {
    if (this.#completing) this.#listener?.reply(outcome);
    if (outcome === "cancelled") this.#completion?.cancel();
    this.#completing?.abort();
    this.#completing = undefined;
    for (const type of LEAVING) window.removeEventListener(type, this.#keepFlow);
    const listener = this.#listener;
    this.#listener = undefined;
    if (!this.#popup || this.#response) listener?.close();
    // If it stays open, it closes itself when the user returns.
    listener?.decline();
    this.#closePopup(() => listener?.close());
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
    const turn = (this.#completing = new Turn());
    // This does not fail: the code is loaded before the popup goes to the provider.
    const { LoginCompletion } = await loadCompletion();
    // The sign-in was cancelled, so the code is not used.
    if (turn.isOver()) return;
    this.#completion?.retry();
    const settings = startedSettings(starterOfResponse(response), this.#host);
    const choose: ChooseStartedSession = this.#host.chooseSession ?? readSessionOptions;
    this.#completion ??= LoginCompletion.of(
      response,
      (account) => choose(settings, account),
      settings.userId,
    );
    const outcome = await this.#completion.settled();
    if (!turn.isOver()) this.#settle(outcome);
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

  #settle(outcome: SettledLogin): void {
    if (outcome.state === "success") this.end("success");
    // A cause cannot be sent to another page.
    else this.end({ message: outcome.error.message, code: outcome.error.code });
    this.#listeners.settled(outcome);
    if (outcome.state === "success") void this.#finish(outcome);
  }

  #onClosed(): void {
    this.#popup = undefined;
    // The popup also closes itself after sending its response.
    if (this.#response) return;
    if (this.#flow) discardClient(this.#flow);
    this.#listeners.closed();
  }

  #closePopup(onClosed?: () => void): void {
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

/** A provider that has dropped a kept client only says so in its popup: see `findClient()`. */
function discardClient({ appState }: PendingFlow): void {
  const fingerprint = appState?.[REGISTRATION_STATE];
  if (typeof fingerprint !== "string") return;
  const count = (closedPopups.get(fingerprint) ?? 0) + 1;
  closedPopups.set(fingerprint, count);
  if (count % 2 === 0) forgetClient(fingerprint);
}
