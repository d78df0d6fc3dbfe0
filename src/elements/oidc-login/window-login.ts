import { readAuthorizationResponse } from "../../core/oidc/authorization-response.js";
import type { PendingFlow } from "../../core/index.js";
import { takeRecord, writeRecord } from "../../core/oidc/flow-storage.js";
import { Completion, type Outcome } from "../oidc-callback/completion.js";
import { AnswerListener } from "../shared/hand-over.js";
import type { Core } from "../shared/load.js";
import { OpenedWindow } from "../shared/opened-window.js";

/** For Firefox the second is too late where another process takes over; not every browser tells the first. */
const LEAVING = ["beforeunload", "pagehide"] as const;

export interface WindowLoginListeners {
  /** The provider's answer is there. */
  readonly answered: () => void;
  /** The login has ended, one way or the other. */
  readonly settled: (outcome: Exclude<Outcome, { state: "pending" }>) => void;
  /** The person has closed the window, as far as can be told. */
  readonly closed: () => void;
}

/**
 * A login at the provider in a window, from the click to its end. What the end needs stays in this
 * page's memory: the window has a copy of the page's storage, and must not end the login as well.
 */
export class WindowLogin {
  readonly #loadCore: () => Promise<Core>;
  readonly #listeners: WindowLoginListeners;
  readonly #blocked: boolean;
  #window: OpenedWindow | undefined;
  #listener: AnswerListener | undefined;
  #url: string | undefined;
  #flow: PendingFlow | undefined;
  #completion: Completion | undefined;

  /** To be called while a click is dealt with: later the browser would not let the window open. */
  constructor(loadCore: () => Promise<Core>, listeners: WindowLoginListeners) {
    this.#loadCore = loadCore;
    this.#listeners = listeners;
    this.#window = OpenedWindow.open("", () => this.#onClosed());
    this.#blocked = !this.#window;
  }

  /** Where the person is sent, if the browser did not let the window open: for a link. */
  get blockedUrl(): string | undefined {
    return this.#blocked ? this.#url : undefined;
  }

  /** Whether the provider's answer is being dealt with. */
  get completing(): boolean {
    return this.#completion?.outcome.state === "pending";
  }

  /** Whether the window can still be brought to the front. */
  focus(): boolean {
    if (!this.#window || this.#window.window.closed) return false;
    this.#window.window.focus();
    return true;
  }

  /** Says in the empty window what it waits for. */
  say(text: string): void {
    const page = this.#window?.window.document;
    if (!page?.body) return;
    page.title = text;
    page.body.textContent = text;
  }

  /** Leads the window to the provider, unless somebody else does, and waits for the answer. */
  start(url: string, flow: PendingFlow, goes: boolean): void {
    this.#url = url;
    this.#flow = flow;
    this.#listener = new AnswerListener(flow.state, (address) => void this.#complete(address));
    for (const type of LEAVING) window.addEventListener(type, this.#keepFlow);
    if (goes) this.#window?.go(url);
    else this.#closeWindow();
  }

  /** Tries again what may still succeed. @returns Whether there is such. */
  retry(): boolean {
    if (!this.#completion?.canRetry) return false;
    this.#completion.retry();
    void this.#settle(this.#completion);
    return true;
  }

  /** Closes the window and waits no longer. */
  end(): void {
    this.#listener?.close();
    this.#listener = undefined;
    for (const type of LEAVING) window.removeEventListener(type, this.#keepFlow);
    this.#closeWindow();
  }

  async #complete(address: string): Promise<void> {
    const flow = this.#flow;
    const response = readAuthorizationResponse(address);
    if (!flow || response?.state !== flow.state) return;
    this.#flow = undefined;
    this.#forgetFlow(flow);
    const record = (): string => JSON.stringify(flow);
    const loadCore = this.#loadCore;
    this.#completion = Completion.of({ ...response, address, record }, { loadCore });
    this.#listeners.answered();
    await this.#settle(this.#completion);
  }

  async #settle(completion: Completion): Promise<void> {
    await completion.settled();
    const { outcome } = completion;
    if (outcome.state === "pending") return;
    this.#listener?.reply(outcome.state === "error" ? outcome.error.code : "success");
    this.end();
    this.#listeners.settled(outcome);
  }

  #onClosed(): void {
    this.#window = undefined;
    // It closes by itself too, when it has handed over its answer.
    if (!this.#completion) this.#listeners.closed();
  }

  #closeWindow(): void {
    this.#window?.close();
    this.#window = undefined;
  }

  /** Who goes on in this very tab, by the link, ends the login as if there had been no window. */
  readonly #keepFlow = (): void => {
    try {
      if (this.#flow) writeRecord(this.#flow.state, JSON.stringify(this.#flow));
    } catch {
      // Nothing can be kept here.
    }
  };

  /** The page may have stayed, though it was about to be left. */
  #forgetFlow({ state }: PendingFlow): void {
    try {
      takeRecord(state);
    } catch {
      // Nothing was kept here.
    }
  }
}
