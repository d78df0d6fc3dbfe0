import type { LegacyLoginResult } from "../core/index.js";
import type { PendingSso } from "../core/legacy/sso.js";
import { wait } from "../core/http/wait.js";
import { FLOWS } from "../core/oauth/flow-store.js";
import { lazyPart } from "../ui/loading.js";
import type { CapturedResponse, CapturedSso } from "./captured-response.js";
import { loadSession } from "./session-attributes.js";
import { asCodedError, type CodedError, isRetryable } from "../errors/coded-error.js";
import type { ChooseSession } from "./session-options.js";
import type { SignedInUser } from "./signed-in.js";

export type Settled<Result, Failure> =
  (Result & { readonly state: "success" }) | { readonly state: "error"; readonly error: Failure };

type Outcome<Result, Failure> = { readonly state: "pending" } | Settled<Result, Failure>;

type AppState = Readonly<Record<string, string>>;

/** The progress of reporting an outcome. */
interface Announcement {
  /** Set once the tokens were reported: whether the listeners allow the browser to continue. */
  readonly leaves?: boolean;
}

/** A replacement can take over from a removed element within this time. */
const HAND_OVER_MS = 1000;

/**
 * The completion of one sign-in. A code or a login token can be used only once, even if elements
 * are removed and added. Therefore the completion continues for the next element when its element
 * leaves the page.
 */
export abstract class Completion<
  Response extends CapturedResponse | undefined,
  Login extends { readonly appState?: AppState; readonly isDeviceNamed?: boolean },
  Result extends object,
  Failure extends Error,
> extends EventTarget {
  readonly response: Response;
  protected readonly chooseSession: ChooseSession;
  /** The user who must sign in. */
  protected readonly expectedUserId: string | undefined;
  /** The time limit of each request for which the user waits. */
  protected readonly timeoutMs: number | undefined;
  /** The data of the sign-in that this tab stored. */
  protected login: Login | undefined;
  /** This is not an `Operation`, because a cancelled completion is never retried. */
  readonly #cancelled = new AbortController();
  /** Whether an event was fired for the outcome, here or on the page that opened this popup. */
  readonly #report: Pick<CapturedResponse, "isReported">;
  #announcement: Announcement = {};
  #outcome: Outcome<Result, Failure> = { state: "pending" };

  constructor(
    response: Response,
    chooseSession: ChooseSession,
    expectedUserId?: string,
    timeoutMs?: number,
  ) {
    super();
    this.response = response;
    this.#report = response ?? {};
    this.chooseSession = chooseSession;
    this.expectedUserId = expectedUserId || undefined;
    this.timeoutMs = timeoutMs;
  }

  get outcome(): Outcome<Result, Failure> {
    return this.#outcome;
  }

  get error(): Failure | undefined {
    return this.#outcome.state === "error" ? this.#outcome.error : undefined;
  }

  get appState(): AppState {
    return this.login?.appState ?? {};
  }

  abstract get canRetry(): boolean;

  /** The URL of the server that the user signs in with, if this tab knows the sign-in. */
  abstract get server(): string | undefined;

  /**
   * Whether the page named the device. The device might have another session, which must continue.
   */
  get isDeviceNamed(): boolean {
    return !!this.login?.isDeviceNamed;
  }

  protected get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** Cancels the sign-in. Tokens that arrive later are not kept. */
  cancel(): void {
    this.#cancelled.abort();
  }

  /**
   * Called by each element that waits for the outcome. @returns The progress, for the one
   * element that must fire the remaining events. Undefined for the others.
   */
  takeAnnouncement(): Announcement | undefined {
    if (this.#outcome.state === "pending" || this.#report.isReported) return undefined;
    this.#report.isReported = true;
    return this.#announcement;
  }

  /**
   * Passes the remaining announcement to another element, because the element that took it has left
   * the page.
   *
   * @returns Whether another element has taken it. Otherwise, only listeners on the removed element
   *   itself get the event.
   */
  async handOn(rest: Announcement): Promise<boolean> {
    this.#announcement = rest;
    this.#report.isReported = false;
    this.#notify();
    await wait(HAND_OVER_MS);
    return !this.takeAnnouncement();
  }

  async settled(): Promise<Settled<Result, Failure>> {
    while (this.#outcome.state === "pending") {
      await new Promise((resolve) => this.addEventListener("change", resolve, { once: true }));
    }
    return this.#outcome;
  }

  retry(): void {
    if (!this.canRetry) return;
    this.#report.isReported = false;
    this.#settle({ state: "pending" });
    void this.start();
  }

  /** Called once, by {@link shared}. */
  async start(): Promise<void> {
    try {
      this.#settle({ state: "success", ...(await this.complete()) });
    } catch (error) {
      this.#settle({ state: "error", error: this.asError(error) });
    }
  }

  protected abstract complete(): Promise<Result>;
  protected abstract readonly asError: (error: unknown) => Failure;

  #settle(outcome: Outcome<Result, Failure>): void {
    this.#outcome = outcome;
    this.#notify();
  }

  #notify(): void {
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * The existing completion of a response. If there is none, starts a new one. A missing response is
 * an error.
 *
 * A page can have several copies of this code, and each finds another copy's completion in the
 * response. Therefore, use only a completion's members, never its class.
 */
export function shared<C extends Completion<CapturedResponse | undefined, object, object, Error>>(
  response: CapturedResponse | undefined,
  create: () => C,
): C {
  // Each kind of response has one class.
  if (response?.completion) return response.completion as C;
  const completion = create();
  if (response) response.completion = completion;
  void completion.start();
  return completion;
}

/** @throws {OidcFlowError} `StorageUnavailable` if the browser blocked the storage. */
export function recordOf({ record }: CapturedResponse): string | null {
  try {
    return record();
  } catch (cause) {
    throw FLOWS.error("storage_unavailable", cause);
  }
}

const loadSsoLogin = lazyPart(() => import("../core/legacy/sso.js"));

export class SsoCompletion extends Completion<CapturedSso, PendingSso, SignedInUser, CodedError> {
  protected readonly asError: typeof asCodedError = asCodedError;
  #result: LegacyLoginResult | undefined;

  static of(...args: ConstructorParameters<typeof SsoCompletion>): SsoCompletion {
    return shared(args[0], () => new SsoCompletion(...args));
  }

  /**
   * True while the token may still be unused. After that, a sign-in whose session cannot be stored
   * is undone.
   */
  get canRetry(): boolean {
    return !this.#result && !this.signal.aborted && isRetryable(this.error);
  }

  get server(): string | undefined {
    return this.login?.homeserverUrl;
  }

  protected async complete(): Promise<SignedInUser> {
    const { loginToken } = this.response;
    const [{ completePendingSso, ssoOfRecord }, { keepLegacyLogin }] = await Promise.all([
      loadSsoLogin(),
      loadSession(),
    ]);
    this.login ??= ssoOfRecord(recordOf(this.response));
    // Check the settings first, so that wrong settings don't leave the user with an unused device.
    this.chooseSession();
    const { expectedUserId = this.expectedUserId } = this.login;
    // The token may be valid for only five seconds, so no other request is sent first.
    const { signal, timeoutMs } = this;
    const result = (this.#result = await completePendingSso(
      loginToken,
      { ...this.login, expectedUserId },
      { signal, timeoutMs },
    ));
    const options = this.chooseSession(result) ?? ({ store: "memory" } as const);
    const key = options.key ?? this.appState["sessionKey"];
    return keepLegacyLogin(result, { ...options, ...(key && { key }) }, this.isDeviceNamed);
  }
}
