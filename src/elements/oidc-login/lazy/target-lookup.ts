import { OidcFlowError } from "../../../core/oauth/errors.js";
import { asFlowError } from "../../shared/flow-error.js";
import { loadCompletion } from "../../shared/load-completion.js";
import type { LoginHost, LoginTarget } from "../login-host.js";
import { isStale, shareTarget } from "./find-target.js";
import { loadPopup } from "./load-popup.js";
import { type LoginSettings, readSettings } from "./login-settings.js";

/** Rejects settings that the target does not support, before the user is sent there. */
export function checkTarget({ prompt }: LoginSettings, { metadata }: LoginTarget): void {
  if (prompt === "create" && !metadata.prompt_values_supported?.includes(prompt)) {
    throw new OidcFlowError(
      "Configured OIDC OP does not support required functions",
      "prompt_not_supported",
    );
  }
}

/** Is notified of what becomes of a look-up; at once, where nothing has to be requested. */
export interface LookupListener {
  stateChanged(state: "idle" | "preparing" | "ready" | "unsupported"): void;
  failed(error: OidcFlowError): void;
}

/** Finds out where to sign in, once for all who wait. What fails before anybody waits is not reported. */
export class TargetLookup {
  readonly #host: LoginHost;
  readonly #listener: LookupListener;
  #target: LoginTarget | undefined;
  /** The last one found, also if it does not support the settings. */
  #known: LoginTarget | undefined;
  #unsupported: OidcFlowError | undefined;
  #running: Promise<void> | undefined;
  #isAwaited = false;
  #abort = new AbortController();

  constructor(host: LoginHost, listener: LookupListener) {
    this.#host = host;
    this.#listener = listener;
  }

  /** Where to sign in, once that is known. */
  get target(): LoginTarget | undefined {
    return this.#target;
  }

  /** Why there is no way to sign in there; to be reported when somebody tries. */
  get unsupported(): OidcFlowError | undefined {
    return this.#unsupported;
  }

  /** Begins before anybody waits for it. */
  begin(): void {
    if (!this.#running) void this.#run();
  }

  /** Begins, or joins what is running; never rejects. */
  find(): Promise<void> {
    this.#isAwaited = true;
    return this.#running ?? this.#run();
  }

  /** Ends what is running, but keeps what was found. */
  stop(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#end();
  }

  forget(): void {
    this.#target = undefined;
    this.#known = undefined;
  }

  #run(): Promise<void> {
    const { signal } = this.#abort;
    this.#listener.stateChanged("preparing");
    if (this.#host.mode === "popup") {
      void loadPopup();
      void loadCompletion();
    }
    const fail = (error: unknown): void => this.#fail(asFlowError(error), signal);
    try {
      const settings = readSettings(this.#host);
      const found = (target: LoginTarget): void => {
        if (!signal.aborted) this.#known = target;
        checkTarget(settings, target);
        if (!signal.aborted) this.#succeed(target);
      };
      const known = this.#host.target;
      if (known && !isStale(known)) found(known);
      else this.#running = shareTarget(settings, signal, this.#known).then(found).catch(fail);
    } catch (error) {
      fail(error);
    }
    return this.#running ?? Promise.resolve();
  }

  #succeed(target: LoginTarget): void {
    this.#end();
    this.#target = target;
    this.#listener.stateChanged("ready");
  }

  #fail(error: OidcFlowError, { aborted }: AbortSignal): void {
    if (aborted) return;
    const isAwaited = this.#isAwaited;
    const isUnsupported = error.code === "oidc_not_supported";
    this.#end();
    this.#unsupported = isUnsupported ? error : undefined;
    if (isUnsupported) this.#listener.stateChanged("unsupported");
    else if (isAwaited) this.#listener.failed(error);
    else this.#listener.stateChanged("idle");
  }

  #end(): void {
    this.#running = undefined;
    this.#isAwaited = false;
  }
}
