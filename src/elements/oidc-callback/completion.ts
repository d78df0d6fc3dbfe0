import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  OidcErrorCode,
  PendingFlow,
} from "../../core/index.js";
import { OidcFlowError } from "../../core/oidc/errors.js";
import { asFlowError } from "../shared/flow-error.js";
import { handOver, isWindowState } from "../shared/hand-over.js";
import type { Core } from "../shared/load.js";
import type { Capture } from "./capture.js";

/** How the end of a login went. */
export type Outcome =
  | { readonly state: "pending" }
  | {
      readonly state: "success";
      /** Undefined where the page that opened this window has it. */
      readonly result: AuthorizationCodeGrantResult | undefined;
      /** Undefined where the login was for an issuer alone. */
      readonly client: HomeserverClient | undefined;
    }
  | { readonly state: "error"; readonly error: OidcFlowError };

/** What `<oidc-callback>` says where there is nothing to end. */
export const nothingToComplete = (): OidcFlowError =>
  new OidcFlowError("State required to finish logging in is not found in storage.", "flow_unknown");

const completions = new WeakMap<Capture, Completion>();

/**
 * The end of one login. It belongs to the page, not to an element: a code is good for one exchange,
 * however often elements come and go meanwhile. So it is not aborted when its element leaves, and
 * the next element takes it over.
 */
export class Completion extends EventTarget {
  readonly #capture: Capture;
  readonly #loadCore: () => Promise<Core>;
  #flow: PendingFlow | undefined;
  #outcome: Outcome = { state: "pending" };
  #announced = false;

  /** The completion of an answer: always the same for the same answer. */
  static of(captured: Capture, loadCore: () => Promise<Core>): Completion {
    let completion = completions.get(captured);
    if (!completion) {
      completion = new Completion(captured, loadCore);
      completions.set(captured, completion);
      void completion.#run();
    }
    return completion;
  }

  private constructor(captured: Capture, loadCore: () => Promise<Core>) {
    super();
    this.#loadCore = loadCore;
    this.#capture = captured;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  get error(): OidcFlowError | undefined {
    return this.#outcome.state === "error" ? this.#outcome.error : undefined;
  }

  /** What the page kept beside the flow. */
  get appState(): Readonly<Record<string, string>> {
    return this.#flow?.appState ?? {};
  }

  /** Whether trying again could help: the code may still be good. */
  get canRetry(): boolean {
    return this.#flow !== undefined && this.error?.retryable === true;
  }

  /** True once for each outcome: whoever gets it tells the page. */
  takeAnnouncement(): boolean {
    const first = !this.#announced && this.#outcome.state !== "pending";
    this.#announced ||= first;
    return first;
  }

  /** Resolves when the outcome is no longer pending. */
  async settled(): Promise<void> {
    while (this.#outcome.state === "pending") {
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    }
  }

  /** Tries again what may still succeed. */
  retry(): void {
    if (!this.canRetry) return;
    this.#announced = false;
    this.#settle({ state: "pending" });
    void this.#run();
  }

  async #run(): Promise<void> {
    const { state, parameters, mode } = this.#capture;
    try {
      const record = this.#flow ? null : this.#capture.record();
      if (!this.#flow && record === null && isWindowState(state)) return await this.#handOver();
      const core = await this.#loadCore();
      this.#flow ??= core.flowOfRecord(state, record);
      const result = await core.completeFlow(this.#flow, parameters, { mode });
      const { homeserverUrl: baseUrl, tokenResponse, deviceId } = result;
      const accessToken = tokenResponse.access_token;
      const client = baseUrl
        ? new core.HomeserverClient({ baseUrl, accessToken, deviceId })
        : undefined;
      this.#settle({ state: "success", result, client });
    } catch (error) {
      this.#settle({ state: "error", error: asFlowError(error) });
    }
  }

  /** In a window: the page that opened it has the flow, ends the login, and tells its listeners. */
  async #handOver(): Promise<void> {
    const { state, address } = this.#capture;
    const outcome = await handOver(state, address);
    if (outcome === undefined) throw nothingToComplete();
    this.#announced = true;
    const error = (code: OidcErrorCode): OidcFlowError =>
      new OidcFlowError("Something went wrong with OIDC discovery", code);
    this.#settle(
      outcome === "success"
        ? { state: "success", result: undefined, client: undefined }
        : { state: "error", error: error(outcome) },
    );
    // What it shows is for browsers that keep it open.
    window.close();
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.dispatchEvent(new Event("change"));
  }
}
