import { html, nothing, type TemplateResult } from "lit";
import { presentMembers } from "../../../core/http/json.js";
import type { AuthDict, HomeserverClient, JsonObject } from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { useLoginResponse } from "../../../core/legacy/login.js";
import { isRefusal, MatrixError } from "../../../core/matrix/error.js";
import { accountTexts, validationTexts } from "../../../locales/en.js";
import { saysNothing } from "../../../core/uia/failure.js";
import { isAwaitingApproval } from "../../../errors/lazy/error-text.js";
import { serverOfUser } from "../../../sign-in/lazy/homeserver.js";
import { keepLegacyLogin, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { addTexts, type Texts } from "../../../texts/texts.js";
import { field, valueOf } from "../../../ui/lazy/field.js";
import { type LightForm, renderSubmit, setDisabled } from "../../../ui/lazy/form.js";
import { withReason } from "../../../ui/lazy/format-text.js";
import { DIALOG_PARTS } from "../../../ui/lazy/styles.js";
import type { AuthenticateOptions } from "../../uia-dialog/lazy/host.js";
import { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { FoundHomeserver } from "./lookup.js";
import type { LoginModel, Notice } from "./model.js";
import { type AccountAction, type Given, givenBy, sessionOptions } from "./settings.js";

const { alreadyInUse, notAllowed } = validationTexts;
addTexts({ $code: "en", ...accountTexts, alreadyInUse, notAllowed });

interface FieldRefusal extends Notice {
  readonly name: string;
}

/** Homeservers have many codes for passwords, such as `M_PASSWORD_NO_DIGIT`. */
const FIELD_REFUSALS: readonly (FieldRefusal & { readonly errcodes: RegExp })[] = [
  { errcodes: /^M_(WEAK_PASSWORD|PASSWORD_\w+)$/, name: "password", text: "passwordWeak" },
  { errcodes: /^M_(USER_IN_USE|EXCLUSIVE)$/, name: "username", text: "alreadyInUse" },
  { errcodes: /^M_INVALID_USERNAME$/, name: "username", text: "notAllowed" },
];

interface Progress {
  readonly auth: AuthDict | null;
  /** The email address that it confirms, if it was known before. */
  readonly email: string | undefined;
}

/**
 * Creates an account, or resets a password, at one homeserver. What it asks the user for, and what it
 * gets from the homeserver, such as a UIA session, is sent only there: another homeserver needs
 * another form.
 */
export class AccountForm {
  readonly action: AccountAction;
  readonly heading: keyof Texts;
  readonly homeserverUrl: string;
  readonly #identityServerUrl: string | undefined;
  readonly #isReset: boolean;
  readonly #model: LoginModel;
  readonly #form: LightForm;
  readonly #close: (notice?: Notice) => void;
  #refusal: FieldRefusal | undefined;
  #progress: Progress | undefined;
  /** If the homeserver rejects only a field, the user need not confirm the address again. */
  #resumption: Progress | undefined;
  #focusNext: string | undefined = "input";

  constructor(
    model: LoginModel,
    form: LightForm,
    action: AccountAction,
    { homeserverUrl, identityServerUrl }: FoundHomeserver,
    close: (notice?: Notice) => void,
  ) {
    this.homeserverUrl = homeserverUrl;
    this.#identityServerUrl = identityServerUrl;
    this.#model = model;
    this.#form = form;
    this.action = action;
    this.#isReset = action === "reset";
    this.heading = this.#isReset ? "passwordReset" : "createAccount";
    this.#close = close;
    UiaDialogElement.define();
  }

  render(): TemplateResult {
    const busy = this.#model.state === "authenticating";
    const warning = html`<p class="warning">${this.#form.term("passwordResetWarning")}</p>`;
    return html`${this.#isReset ? warning : nothing}
      <slot name="fields"></slot>
      ${renderSubmit(this.#form.term(this.heading), busy, () => this.#form.submit())}
      <button part="back" class="link" type="button" @click=${() => this.#back()}>
        ${this.#form.term("back")}
      </button>
      <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>`;
  }

  updated(): void {
    const user = this.#isReset ? "email" : "username";
    const refusal = this.#refusal;
    const error = refusal && withReason(this.#form.term(refusal.text), refusal.reason);
    const one = (name: string, text: keyof Texts, autocomplete: string): TemplateResult =>
      field(this.#form, {
        name,
        label: this.#form.term(text),
        autocomplete,
        type: name === "email" ? "email" : name === "username" ? "text" : "password",
        error: refusal?.name === name ? error : undefined,
      });
    const fields = html`${one(user, user, user)}
    ${one("password", this.#isReset ? "passwordNew" : "password", "new-password")}
    ${one("repeat", "passwordRepeat", "new-password")}`;
    const form = this.#form.show({
      purpose: `${this.homeserverUrl} ${this.action}`,
      fields,
      isBusy: () => this.#model.state === "authenticating",
      submit: (values) => this.#submit(values),
    });
    setDisabled(form, this.#model.host.disabled);
    if (this.#focusNext) form.querySelector<HTMLElement>(this.#focusNext)?.focus();
    this.#focusNext = undefined;
  }

  #back(): void {
    if (this.#model.state === "authenticating") this.#model.cancel();
    this.#close();
  }

  #submit(values: FormData): boolean | Promise<boolean> {
    const password = values.get("password");
    // The page might have set another homeserver just now.
    const isHere = this.#model.found?.homeserverUrl === this.homeserverUrl;
    if (this.#model.isBusy || !isHere || typeof password !== "string") return false;
    if (password !== values.get("repeat")) {
      this.#refuse({ name: "repeat", text: "passwordsDiffer" });
      return true;
    }
    const username = valueOf(values, "username");
    if (!this.#isReset && serverOfUser(username) !== undefined) {
      this.#refuse({ name: "username", text: "notAllowed" });
      return true;
    }
    this.#refusal = undefined;
    return !this.#model.announceStart(this.action) || this.#send(values, username, password);
  }

  /** @returns Whether a failure says nothing about the password. */
  async #send(values: FormData, username: string, password: string): Promise<boolean> {
    await this.#model.signIn(this.action, async (signal) => {
      const given = givenBy(this.#model.host);
      const { HomeserverClient } = await loadSession();
      signal.throwIfAborted();
      const client = new HomeserverClient({ baseUrl: this.homeserverUrl });
      try {
        return await (this.#isReset
          ? this.#reset(client, valueOf(values, "email"), password, signal)
          : this.#register(client, username, password, given, signal));
      } catch (error) {
        signal.throwIfAborted();
        this.#refused(error);
        return undefined;
      }
    });
    this.#model.host.requestUpdate();
    if (this.#refusal) return this.#refusal.name !== "password";
    const { error } = this.#model;
    // Homeservers have codes for rejected passwords.
    return error instanceof MatrixError || saysNothing(error);
  }

  /** @throws the error, if it belongs to no field, and the account need not be approved. */
  #refused(error: unknown): void {
    const refusal =
      error instanceof MatrixError &&
      FIELD_REFUSALS.find(({ errcodes }) => errcodes.test(error.errcode ?? ""));
    if (refusal && this.#form.element?.elements.namedItem(refusal.name)) {
      this.#resumption = this.#progress;
      this.#refuse({ ...refusal, reason: error.reason });
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
      throw error;
    });
    if (!isFree) {
      this.#refuse({ name: "username", text: "alreadyInUse" });
      return undefined;
    }
    const { homeserverUrl } = this;
    const settings = { homeserverUrl, identityServerUrl: this.#identityServerUrl, ...device };
    let requestedAt = 0;
    const register = (auth: AuthDict | null): Promise<JsonObject> => {
      requestedAt = Date.now();
      return client.register({
        username,
        password,
        auth,
        refresh_token: true,
        initial_device_display_name: device.deviceName,
        device_id: device.deviceId || undefined,
      });
    };
    // The page does not get the session, so its device is signed out.
    const signOut = async (late: JsonObject): Promise<unknown> =>
      useLoginResponse(late, settings, requestedAt, { signal: AbortSignal.abort() });
    const response = await this.#authenticate(client, register, signOut, signal, {
      requestEmailToken: async (address, secret, attempt) =>
        client.requestRegisterEmailToken(address, secret, attempt),
      requestPhoneToken: async (country, phone, secret, attempt) =>
        client.requestRegisterMsisdnToken(country, phone, secret, attempt),
    });
    const result = await useLoginResponse(response, settings, requestedAt);
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

  /** @param late Called with the response if the homeserver has carried out a cancelled request. */
  async #authenticate(
    client: HomeserverClient,
    doRequest: (auth: AuthDict | null) => Promise<JsonObject>,
    late: (response: JsonObject) => unknown,
    signal: AbortSignal,
    { email, ...options }: AuthenticateOptions & { readonly email?: string },
  ): Promise<JsonObject> {
    signal.throwIfAborted();
    const dialog = this.#model.host.shadowRoot?.querySelector("uia-dialog");
    if (!dialog) throw new LoginError("aborted", "The element contains no form");
    // The call takes these properties, so nothing may come between.
    dialog.client = client;
    dialog.inputs = { emailAddress: email };
    const last = this.#resumption?.email === email ? this.#resumption?.auth : undefined;
    this.#resumption = this.#progress = undefined;
    const { sid, client_secret } = presentMembers(last?.["threepid_creds"]);
    dialog.sessionId = last?.session;
    dialog.emailSid = sid as string | undefined;
    dialog.clientSecret = client_secret as string | undefined;
    const heading = this.#form.term(this.heading);
    let isAwaited = true;
    const send = async (auth: AuthDict | null): Promise<JsonObject> => {
      this.#progress = { auth, email };
      const response = await doRequest(auth);
      if (!isAwaited) await late(response);
      return response;
    };
    try {
      return await dialog.authenticate(send, { heading, submitLabel: heading, ...options, signal });
    } finally {
      isAwaited = false;
    }
  }

  #refuse(refusal: FieldRefusal): void {
    this.#refusal = refusal;
    this.#focusNext = "[aria-invalid=true]";
    this.#model.host.requestUpdate();
  }
}
