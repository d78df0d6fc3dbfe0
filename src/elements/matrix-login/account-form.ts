import { html, nothing, type TemplateResult } from "lit";
import { presentMembers } from "../../core/http/json.js";
import type { AuthDict, HomeserverClient, JsonObject } from "../../core/index.js";
import { LoginError } from "../../core/legacy/errors.js";
import { isRefusal, MatrixError } from "../../core/matrix/error.js";
import { isAwaitingApproval, WEAK_PASSWORD } from "../../errors/coded-error.js";
import { discoverHomeserver } from "../../core/matrix/discovery.js";
import { serverOfUser, userIn } from "../../core/shared/typed-names.js";
import { isLocalpart } from "../../sign-in/homeserver.js";
import { PasswordRules } from "../../sign-in/password-rules.js";
import type { SignedInUser } from "../../sign-in/signed-in.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import {
  accountErrorTexts,
  accountTexts,
  fieldTexts,
  matrixLoginTexts,
} from "../../texts/english.js";
import { partTexts } from "../../texts/part-texts.js";
import { field, valueOf, valuesOf } from "../../ui/form/field.js";
import { oncePerDoubleClick, renderSubmit } from "../../ui/form/buttons.js";
import { DIALOG_PARTS } from "../../ui/form/styles.js";
import { insert, isolated } from "../../ui/format-text.js";
import { LateResponse } from "../../ui/late-response.js";
import { lazyPart } from "../../ui/loading.js";
import { withReason } from "../../ui/reason.js";
import type { AuthenticateOptions } from "../uia-dialog/options.js";
import { UiaDialogElement } from "../uia-dialog/uia-dialog.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type { FoundHomeserver } from "./lookup.js";
import type { MatrixLoginController } from "./controller.js";
import { type AccountAction, type Given, serverNameOf, sessionOptions } from "./settings.js";

const loadPassword = /* @__PURE__ */ lazyPart(() => import("./password.js"));

const { username, password, email } = fieldTexts;
const { errorAwaitingApproval } = accountErrorTexts;
const { passwordReset } = matrixLoginTexts;
const texts = partTexts(accountTexts, {
  ...{ username, password, email, errorAwaitingApproval, passwordReset },
});

type TextKey = Parameters<typeof texts.term>[1];

/** The reason that the homeserver or the form rejects a field. */
interface FieldRefusal {
  readonly name: "username" | "password" | "repeat";
  readonly text: "passwordsDiffer" | "passwordWeak" | "usernameTaken" | "usernameNotAllowed";
  /** The homeserver's message. */
  readonly reason?: string | undefined;
}

/** The outcome of a form that ended without a sign-in. */
export interface AccountOutcome {
  readonly text: "passwordChanged" | "errorAwaitingApproval";
  /** The homeserver's message. */
  readonly reason?: string | undefined;
}

const FIELD_REFUSALS: readonly (FieldRefusal & { readonly errcodes: RegExp })[] = [
  { errcodes: WEAK_PASSWORD, name: "password", text: "passwordWeak" },
  { errcodes: /^M_(USER_IN_USE|EXCLUSIVE)$/, name: "username", text: "usernameTaken" },
  { errcodes: /^M_INVALID_USERNAME$/, name: "username", text: "usernameNotAllowed" },
];

interface Progress {
  readonly auth: AuthDict | null;
  /** The email address that the session confirms, if it was known before. */
  readonly email: string | undefined;
}

/**
 * Creates an account or resets a password on one homeserver. The user's input, and data from the
 * homeserver, such as a UIA session, are sent only there. Another homeserver needs another form.
 */
export class AccountForm {
  readonly action: AccountAction;
  readonly heading: "passwordReset" | "createAccount";
  readonly homeserverUrl: string;
  readonly #identityServerUrl: string | undefined;
  readonly #controller: MatrixLoginController;
  readonly #rules: PasswordRules;
  #refusal: FieldRefusal | undefined;
  /** The server name in the homeserver's user IDs, if it is known. */
  #serverName: string | undefined;
  #username = "";
  #progress: Progress | undefined;
  /**
   * Kept so that the user doesn't have to confirm the address again if the homeserver rejects only
   * a field.
   */
  #resumption: Progress | undefined;
  /** The user whose account might exist, because the response to its registration was lost. */
  #lost: string | undefined;

  constructor(
    controller: MatrixLoginController,
    action: AccountAction,
    { homeserver, homeserverUrl, identityServerUrl }: FoundHomeserver,
  ) {
    this.#controller = controller;
    this.action = action;
    this.heading = action === "reset" ? "passwordReset" : "createAccount";
    this.homeserverUrl = homeserverUrl;
    this.#identityServerUrl = identityServerUrl;
    this.#rules = new PasswordRules(controller.host, homeserverUrl);
    void this.#findServerName(homeserver).catch(() => undefined);
  }

  /** A base URL's host is the server's name only if the server with that name confirms the URL. */
  async #findServerName(homeserver: string): Promise<void> {
    const name = serverNameOf(homeserver);
    const isUrl = /^https?:/i.test(homeserver);
    const found = isUrl ? await discoverHomeserver(name) : undefined;
    if (!isUrl || found?.baseUrl === this.homeserverUrl) this.#serverName = name;
    this.#host.requestUpdate();
  }

  get #userIdHint(): TemplateResult | undefined {
    if (!this.#serverName || !isLocalpart(this.#username)) return undefined;
    const userId = isolated(`@${this.#username}:${this.#serverName}`);
    return insert(this.#term("userIdPreview"), "user", userId);
  }

  get refusal(): FieldRefusal | undefined {
    return this.#refusal;
  }

  render(): TemplateResult {
    UiaDialogElement.define();
    const { form } = this.#controller;
    const warning = html`<p class="warning">${this.#term("passwordResetWarning")}</p>`;
    return html`${this.action === "reset" ? warning : nothing}
      <slot name="fields"></slot>
      ${renderSubmit(this.#term(this.heading), this.#isBusy, () => form.submit())}
      <button
        part="back"
        class="link"
        type="button"
        @click=${oncePerDoubleClick(() => this.#controller.closeForm(this))}
      >
        ${this.#term(this.action === "reset" ? "back" : "signInInstead")}
      </button>
      <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>`;
  }

  /** Shows the fields, in the light DOM. */
  showFields(): HTMLFormElement {
    const { action, refusal } = this;
    const { form } = this.#controller;
    const error = refusal && withReason(refusal.text, this.#term(refusal.text), refusal.reason);
    const one = (
      name: string,
      text: TextKey,
      autocomplete: string,
      hint?: string | TemplateResult,
    ): TemplateResult =>
      field(form, {
        name,
        hint,
        label: this.#term(text),
        autocomplete,
        type: name === "email" ? "email" : name === "username" ? "text" : "password",
        error: refusal?.name === name ? error : undefined,
      });
    const user = action === "reset" ? "email" : "username";
    const fields = html`${one(user, user, user, this.#userIdHint)}
    ${one("password", action === "reset" ? "passwordNew" : "password", "new-password", this.#rules.hint)}
    ${one("repeat", "passwordRepeat", "new-password")}`;
    const element = form.show({
      purpose: `${this.homeserverUrl} ${action}`,
      fields,
      isBusy: () => this.#isBusy,
      submit: (values) => this.#controller.submitAccount(this, values),
    });
    element.oninput = (): void => {
      this.#username = userIn(valueOf(valuesOf(element), "username"));
      this.#host.requestUpdate();
    };
    return element;
  }

  get #host(): MatrixLoginElement {
    return this.#controller.host;
  }

  get #isBusy(): boolean {
    return this.#controller.state.name === "authenticating";
  }

  #term(key: TextKey): string {
    return texts.term(this.#host.localize, key);
  }

  /** Closes the form, even if the response arrives after a cancellation. */
  #close(outcome: AccountOutcome): void {
    this.#controller.closeForm(this, outcome);
  }

  /** @returns Whether the values can be sent. If not, `refusal` is set. */
  check(values: FormData): boolean {
    const differs = values.get("password") !== values.get("repeat");
    const isElsewhere = serverOfUser(valueOf(values, "username")) !== undefined;
    this.#refusal = undefined;
    if (differs) this.#refusal = { name: "repeat", text: "passwordsDiffer" };
    else if (isElsewhere) this.#refusal = { name: "username", text: "usernameNotAllowed" };
    return !this.#refusal;
  }

  /** @returns Undefined if the user is not signed in, for example because of a `refusal`. */
  async send(
    values: FormData,
    given: Given,
    signal: AbortSignal,
  ): Promise<SignedInUser | undefined> {
    const { HomeserverClient } = await loadSession();
    signal.throwIfAborted();
    const client = new HomeserverClient({ baseUrl: this.homeserverUrl });
    const password = values.get("password") as string;
    try {
      return await (this.action === "reset"
        ? this.#reset(client, valueOf(values, "email"), password, signal)
        : this.#register(client, userIn(valueOf(values, "username")), password, given, signal));
    } catch (error) {
      signal.throwIfAborted();
      this.#refused(error);
      return undefined;
    }
  }

  /**
   * @throws The error, unless it belongs to a field or means that the account is awaiting approval.
   */
  #refused(error: unknown): void {
    const refusal =
      error instanceof MatrixError &&
      FIELD_REFUSALS.find(({ errcodes }) => errcodes.test(error.errcode ?? ""));
    if (refusal && (refusal.name === "password" || this.action === "registration")) {
      this.#resumption = this.#progress;
      this.#refusal = { ...refusal, reason: error.reason };
    } else if (isAwaitingApproval(error)) {
      this.#close({ text: "errorAwaitingApproval", reason: error.reason });
    } else throw error;
  }

  async #register(
    client: HomeserverClient,
    username: string,
    password: string,
    { device, session }: Given,
    signal: AbortSignal,
  ): Promise<SignedInUser | undefined> {
    const isFree = await client.checkUsername(username, { signal }).catch((error: unknown) => {
      // Homeservers without this endpoint respond in several ways.
      const isMissing = error instanceof MatrixError && [404, 405].includes(error.httpStatus);
      if (isMissing || isRefusal(error, "M_UNRECOGNIZED")) return true;
      if (this.#lost === username && isRefusal(error, "M_USER_IN_USE")) return true;
      throw error;
    });
    if (!isFree) {
      this.#refusal = { name: "username", text: "usernameTaken" };
      return undefined;
    }
    // Load the code first. If the load failed later, the token would be lost.
    const { useLoginResponse } = await loadPassword();
    signal.throwIfAborted();
    const { homeserverUrl } = this;
    const settings = { homeserverUrl, identityServerUrl: this.#identityServerUrl, ...device };
    let requestedAt = 0;
    const newDevice = {
      initial_device_display_name: device.deviceName,
      device_id: device.deviceId || undefined,
    };
    const signIn = async (): Promise<JsonObject> => {
      const identifier = { type: "m.id.user", user: username } as const;
      const credentials = { type: "m.login.password", identifier, password } as const;
      return { ...(await client.login({ ...credentials, ...newDevice })) };
    };
    const register = async (auth: AuthDict | null): Promise<JsonObject> => {
      requestedAt = Date.now();
      const account = { username, password, auth, refresh_token: true };
      try {
        return await client.register({ ...account, ...newDevice });
      } catch (error) {
        if (auth && !(error instanceof MatrixError && error.httpStatus < 500)) {
          this.#lost = username;
        }
        if (this.#lost !== username || !isRefusal(error, "M_USER_IN_USE")) throw error;
        return signIn().catch((cause: unknown) => {
          // The account is another user's.
          throw isRefusal(cause, "M_FORBIDDEN") ? error : cause;
        });
      }
    };
    // The page does not receive the session, so its device is signed out.
    const signOut = async (late: JsonObject): Promise<unknown> =>
      useLoginResponse(late, settings, requestedAt, { signal: AbortSignal.abort() });
    const response = await this.#authenticate(client, register, signOut, signal, {
      requestEmailToken: async (address, secret, attempt) =>
        client.requestRegisterEmailToken(address, secret, attempt),
      requestPhoneToken: async (country, phone, secret, attempt) =>
        client.requestRegisterMsisdnToken(country, phone, secret, attempt),
    });
    const result = await useLoginResponse(response, settings, requestedAt);
    const { keepLegacyLogin } = await loadSession();
    return keepLegacyLogin(result, sessionOptions(session, result));
  }

  async #reset(
    client: HomeserverClient,
    email: string,
    password: string,
    signal: AbortSignal,
  ): Promise<undefined> {
    const setPassword = (auth: AuthDict | null): Promise<JsonObject> =>
      client.setPassword(auth, password, true);
    const done = (): void => this.#close({ text: "passwordChanged" });
    await this.#authenticate(client, setPassword, done, signal, {
      email,
      requestEmailToken: async (address, secret, attempt) =>
        client.requestPasswordEmailToken(address, secret, attempt),
    });
    done();
  }

  /**
   * @param late Called with the response if the homeserver has carried out a request after its
   * cancellation.
   */
  async #authenticate(
    client: HomeserverClient,
    doRequest: (auth: AuthDict | null) => Promise<JsonObject>,
    late: (response: JsonObject) => unknown,
    signal: AbortSignal,
    { email, ...options }: AuthenticateOptions & { readonly email?: string },
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const dialog = this.#host.shadowRoot?.querySelector("uia-dialog");
    if (!dialog) throw new LoginError("aborted", "The element contains no form");
    const last = this.#resumption?.email === email ? this.#resumption?.auth : undefined;
    this.#resumption = this.#progress = undefined;
    const { sid, client_secret } = presentMembers(last?.["threepid_creds"]);
    const heading = (): string => this.#term(this.heading);
    const request = new LateResponse((auth: AuthDict | null) => {
      this.#progress = { auth, email };
      return doRequest(auth);
    }, late);
    try {
      return await dialog.authenticate(request.send, {
        ...{ client, heading, submitLabel: heading, signal },
        inputs: { emailAddress: email },
        sessionId: last?.session,
        emailSid: sid as string | undefined,
        clientSecret: client_secret as string | undefined,
        ...options,
      });
    } finally {
      request.end();
    }
  }
}
