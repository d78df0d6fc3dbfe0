import { readAuthorizationResponse } from "../../../core/oidc/authorization-response.js";
import type { OidcFlowError } from "../../../core/oidc/errors.js";
import { takeRecord, writeRecord } from "../../../core/oidc/flow-records.js";
import type { PendingFlow } from "../../../core/oidc/flow-store.js";
import type { Capture } from "../../shared/captured-response.js";
import type { Completion, Outcome } from "../../shared/lazy/login-completion.js";
import { asFlowError } from "../../shared/flow-error.js";
import { AnswerListener, type HandedOver } from "../../shared/lazy/popup-channel.js";
import { loadCallback } from "../../shared/load.js";
import { OpenedWindow } from "../../shared/lazy/popup-window.js";

/** In Firefox `pagehide` is too late if another process takes over; some browsers lack `beforeunload`. */
const LEAVING = ["beforeunload", "pagehide"] as const;

/** What another page may know about an error: without its cause. */
const told = ({ message, code }: OidcFlowError): HandedOver => ({ message, code });

/** How a login ended. */
export type Settled = Exclude<Outcome, { state: "pending" }>;

export interface WindowLoginListeners {
  /** The provider's response has arrived. */
  readonly answered: () => void;
  /** The login has succeeded or failed. */
  readonly settled: (outcome: Settled) => void;
  /** The user has closed the popup, as far as can be detected. */
  readonly closed: (flow: PendingFlow | undefined) => void;
}

/**
 * A login at the provider in a popup, from the click to its end. What its completion needs stays in this
 * page's memory: the popup has a copy of the page's `sessionStorage` and must not complete the login too.
 */
export class WindowLogin {
  readonly #listeners: WindowLoginListeners;
  readonly #blocked: boolean;
  #window: OpenedWindow | undefined;
  #listener: AnswerListener | undefined;
  #url: string | undefined;
  #flow: PendingFlow | undefined;
  /** The provider's response with its flow, kept for a retry. */
  #answer: Capture | undefined;
  #completion: Completion | undefined;
  #completing = false;

  /** Call it while handling a click: later the browser would block the popup. */
  constructor(listeners: WindowLoginListeners) {
    this.#listeners = listeners;
    this.#window = OpenedWindow.open("", () => this.#onClosed());
    this.#blocked = !this.#window;
  }

  /** The authorization URL for a link, if the browser blocked the popup. */
  get blockedUrl(): string | undefined {
    return this.#blocked ? this.#url : undefined;
  }

  /** Whether the provider's response is being processed. */
  get completing(): boolean {
    return this.#completing;
  }

  /** Whether the popup can still be brought to the front. */
  focus(): boolean {
    if (!this.#window || this.#window.window.closed) return false;
    this.#window.window.focus();
    return true;
  }

  /** Shows a text in the popup while it is still empty. */
  say(text: string): void {
    const page = this.#window?.window.document;
    if (!page?.body) return;
    page.title = text;
    page.body.textContent = text;
  }

  /** Sends the popup to the provider, or closes it unless `goes`, and listens for the response. */
  start(url: string, flow: PendingFlow, goes: boolean): void {
    this.#url = url;
    this.#flow = flow;
    this.#listener = new AnswerListener(flow.state, (address) => this.#onAnswer(address));
    for (const type of LEAVING) window.addEventListener(type, this.#keepFlow);
    if (goes) this.#window?.go(url);
    else this.#closeWindow();
  }

  /** Tries again if that may succeed. @returns Whether it does. */
  retry(): boolean {
    if (!this.#answer || this.#completion?.canRetry === false) return false;
    void this.#complete(this.#answer);
    return true;
  }

  /**
   * Closes the popup and stops waiting.
   *
   * @param outcome For a popup that has passed on its response: one that COOP cut off cannot be closed from here.
   */
  end(outcome: HandedOver = "cancelled"): void {
    if (this.#completing) this.#listener?.reply(outcome);
    this.#completing = false;
    this.#listener?.close();
    this.#listener = undefined;
    for (const type of LEAVING) window.removeEventListener(type, this.#keepFlow);
    this.#closeWindow();
  }

  #onAnswer(address: string): void {
    const flow = this.#flow;
    const response = readAuthorizationResponse(address);
    if (!flow || response?.state !== flow.state) return;
    this.#flow = undefined;
    this.#forgetFlow(flow);
    this.#answer = { ...response, address, record: () => JSON.stringify(flow) };
    void this.#complete(this.#answer);
    this.#listeners.answered();
  }

  async #complete(answer: Capture): Promise<void> {
    this.#completing = true;
    try {
      const { Completion } = await loadCallback();
      // Canceled meanwhile: the code is not used.
      if (!this.completing) return;
      if (this.#completion) this.#completion.retry();
      else this.#completion = Completion.of(answer, {});
    } catch (error) {
      this.#tell({ state: "error", error: asFlowError(error) });
      return;
    }
    await this.#completion.settled();
    this.#conclude(this.#completion);
  }

  #conclude(completion: Completion): void {
    const { outcome } = completion;
    // Cancelled meanwhile: otherwise the account would keep a device that nobody uses.
    if (!this.#completing) void completion.revoke();
    else if (outcome.state !== "pending") this.#tell(outcome);
  }

  #tell(outcome: Settled): void {
    this.end(outcome.state === "error" ? told(outcome.error) : "success");
    this.#listeners.settled(outcome);
  }

  #onClosed(): void {
    this.#window = undefined;
    // The popup also closes itself after passing on its response.
    if (!this.#answer) this.#listeners.closed(this.#flow);
  }

  #closeWindow(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  /** If this page is left, the login can still be completed in this tab, as if there had been no popup. */
  readonly #keepFlow = (): void => {
    try {
      if (this.#flow) writeRecord(this.#flow.state, JSON.stringify(this.#flow));
    } catch {
      // No storage.
    }
  };

  /** The flow may have been stored by an attempt to leave the page that did not happen. */
  #forgetFlow({ state }: PendingFlow): void {
    try {
      takeRecord(state);
    } catch {
      // No storage.
    }
  }
}
