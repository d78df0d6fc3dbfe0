import type { LegacyLoginResult } from "../../core/index.js";
import type { PendingSso } from "../../core/legacy/sso.js";
import { lazyPart } from "../../ui/lazy.js";
import type { CapturedSso } from "../captured-response.js";
import { loadSession } from "../session-attributes.js";
import { Completion } from "./completion.js";
import { asCodedError, type CodedError, isRetryable } from "./error-text.js";
import type { ChooseSession } from "./session-settings.js";
import { keepLegacyLogin, type SignedInUser } from "./signed-in.js";

const loadSsoLogin = lazyPart(() => import("../../core/legacy/sso.js"));

export class SsoCompletion extends Completion<CapturedSso, PendingSso, SignedInUser, CodedError> {
  #result: LegacyLoginResult | undefined;

  static of(response: CapturedSso, chooseSession: ChooseSession): SsoCompletion {
    return this.join(response, () => new SsoCompletion(response, chooseSession));
  }

  /**
   * The login token may still be unused. After that, a sign-in whose session cannot be stored is
   * undone.
   */
  get canRetry(): boolean {
    const mayBeUnused = !this.#result && !this.cancelled.aborted;
    return mayBeUnused && this.error !== undefined && isRetryable(this.error);
  }

  get isDeviceNamed(): boolean {
    return !!this.login?.deviceId;
  }

  protected async complete(): Promise<SignedInUser> {
    const { loginToken, record } = this.response;
    const [{ completePendingSso, ssoOfRecord }] = await Promise.all([
      loadSsoLogin(),
      loadSession(),
    ]);
    this.login ??= ssoOfRecord(record());
    // The token may live for only five seconds, so no other request comes first. What this needs is loaded side by side.
    const signal = this.cancelled;
    const result = (this.#result = await completePendingSso(loginToken, this.login, { signal }));
    const options = this.chooseSession(result) ?? ({ store: "memory" } as const);
    const key = options.key ?? this.appState["sessionKey"];
    return keepLegacyLogin(result, { ...options, ...(key && { key }) }, this.isDeviceNamed);
  }

  protected asError(error: unknown): CodedError {
    return asCodedError(error);
  }
}
