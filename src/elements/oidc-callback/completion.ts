import type { AuthorizationCodeGrantResult, HomeserverClient } from "../../core/index.js";
import {
  checkSingleParameters,
  readAuthorizationResponse,
  withoutAuthorizationResponse,
} from "../../core/oidc/authorization-response.js";
import { OidcError, OidcErrorCode, OidcFlowError } from "../../core/oidc/errors.js";
import {
  STATE_PREFIX,
  peekFlow,
  storeFlow,
  takeFlow,
  type PendingFlow,
} from "../../core/oidc/flow-store.js";
import { asFlowError, loadCore } from "../shared/load-core.js";

/** How the end of a login went. */
export type Outcome =
  | { readonly state: "pending" }
  | {
      readonly state: "success";
      readonly result: AuthorizationCodeGrantResult;
      /** Undefined where the login was for an issuer alone. */
      readonly client: HomeserverClient | undefined;
    }
  | { readonly state: "error"; readonly error: OidcFlowError };

const unaskedFor = (): OidcFlowError =>
  new OidcFlowError(OidcError.CodeExchangeFailed, OidcErrorCode.ResponseMalformed);

/**
 * The end of one login. It belongs to the page, not to an element: a code is good for one exchange,
 * however often elements come and go meanwhile. So it is not aborted when its element leaves, and
 * the next element takes it over.
 */
export class Completion extends EventTarget {
  /** The one of this page load. */
  static current: Completion | undefined;

  readonly #address: string;
  readonly #response: URLSearchParams;
  #flow: PendingFlow | undefined;
  #outcome: Outcome = { state: "pending" };
  #announced = false;

  /**
   * Begins to complete the login whose answer is in `address`; undefined where there is none, or one
   * that this library did not ask for. The flow is out of the store and the address bar is clean when
   * this returns.
   */
  static begin(address: string): Completion | undefined {
    const response = readAuthorizationResponse(address);
    if (!response) return undefined;
    const { state, parameters } = response;
    const flow = peekFlow(state);
    if (!flow && !state.startsWith(STATE_PREFIX)) return undefined;

    const completion = new Completion(address, parameters);
    this.current = completion;
    if (address === location.href) {
      history.replaceState(history.state, "", withoutAuthorizationResponse(address, response));
    }
    try {
      checkSingleParameters(parameters);
      // The flow stays: an answer in another place than was asked for is not the provider's.
      if (flow && flow.responseMode !== response.mode) throw unaskedFor();
      completion.#flow = takeFlow(state);
      void completion.#run(completion.#flow);
    } catch (error) {
      completion.#settle({ state: "error", error: asFlowError(error) });
    }
    return completion;
  }

  private constructor(address: string, response: URLSearchParams) {
    super();
    this.#address = address;
    this.#response = response;
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

  /** Whether trying again could help. */
  get canRetry(): boolean {
    const { error } = this;
    return (
      this.#flow !== undefined &&
      error !== undefined &&
      (error.retryable || error.code === OidcErrorCode.LoadFailed)
    );
  }

  /** True once: whoever gets it tells the page. */
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
    const { error } = this;
    if (!this.#flow || !this.canRetry) return;
    if (error?.code === OidcErrorCode.LoadFailed) {
      // Browsers remember that a module failed to load until the page is loaded anew.
      storeFlow(this.#flow);
      history.replaceState(history.state, "", this.#address);
      location.reload();
      return;
    }
    this.#announced = false;
    this.#settle({ state: "pending" });
    void this.#run(this.#flow);
  }

  async #run(flow: PendingFlow): Promise<void> {
    try {
      const core = await loadCore();
      const result = await core.completeFlow(flow, this.#response);
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

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.dispatchEvent(new Event("change"));
  }
}
