import { html, nothing, type TemplateResult } from "lit";
import { HomeserverClient } from "../../../core/homeserver/homeserver-client.js";
import type { LegacyLoginResult } from "../../../core/index.js";
import type { JsonObject } from "../../../core/index.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { readLoginResponse } from "../../../core/legacy/login.js";
import type { Texts } from "../../../locales/translation.js";
import { field, valueOf } from "../../shared/lazy/field.js";
import type { LightForm } from "../../shared/lazy/light-form.js";
import type { DoRequest } from "../../uia-dialog/dialog-host.js";
import { UiaDialogElement } from "../../uia-dialog/uia-dialog.js";
import type { MatrixLoginHost } from "../matrix-login-host.js";
import type { FoundHomeserver } from "./find-methods.js";
import type { LoginModel } from "./login-model.js";

/** Every part of the dialog, under a name of its own here. */
const DIALOG_PARTS =
  "dialog heading progress description stage instruction error notice other actions submit cancel spinner open finished link text"
    .split(" ")
    .map((part) => `${part}:dialog-${part}`)
    .join(", ");

/** Creates an account, or resets its password: a form, and then the dialog. */
export class AccountForms {
  readonly #host: MatrixLoginHost;
  readonly #model: LoginModel;
  readonly #form: LightForm;
  readonly #id: (name: string) => string;
  #shown: "registration" | "reset" | undefined;
  /** Why what was typed is not sent. */
  #refusal: keyof Texts | undefined;
  #isReset = false;

  constructor(
    host: MatrixLoginHost,
    model: LoginModel,
    form: LightForm,
    id: (name: string) => string,
  ) {
    this.#host = host;
    this.#model = model;
    this.#form = form;
    this.#id = id;
    UiaDialogElement.define();
  }

  get shown(): "registration" | "reset" | undefined {
    return this.#shown;
  }

  show(shown: "registration" | "reset" | undefined): void {
    this.#shown = shown;
    this.#refusal = undefined;
    this.#isReset = false;
    this.#form.remove();
    this.#host.requestUpdate();
  }

  /** The buttons that lead to the forms. */
  renderLinks(): TemplateResult {
    const { noRegistration, noReset, disabled } = this.#host;
    const link = (part: string, shown: "registration" | "reset", text: keyof Texts) =>
      html`<button
        part=${part}
        class="link"
        type="button"
        ?disabled=${disabled}
        @click=${() => this.show(shown)}
      >
        ${this.#term(text)}
      </button>`;
    return html`${
      this.#isReset
        ? html`<div part="notice" role="status">${this.#term("matrixResetDone")}</div>`
        : nothing
    }
    ${noReset ? nothing : link("forgot", "reset", "matrixForgot")}
    ${noRegistration ? nothing : link("register", "registration", "createAccount")}`;
  }

  render(): TemplateResult {
    const isReset = this.#shown === "reset";
    const busy = this.#model.state === "authenticating";
    return html`${isReset ? html`<p class="warning">${this.#term("matrixResetWarning")}</p>` : nothing}
      <slot name="fields"></slot>
      <button
        part="submit"
        type="button"
        aria-disabled=${busy ? "true" : nothing}
        aria-busy=${busy ? "true" : nothing}
        @click=${() => this.#form.element?.requestSubmit()}
      >
        <span>${this.#term(isReset ? "matrixReset" : "createAccount")}</span>
        ${busy ? html`<span part="spinner"></span>` : nothing}
      </button>
      <button class="link" type="button" @click=${() => this.#back()}>
        ${this.#term("matrixBack")}
      </button>
      <uia-dialog exportparts=${DIALOG_PARTS}></uia-dialog>`;
  }

  /** Shows the fields, in the light DOM. */
  updated(found: FoundHomeserver): void {
    const isReset = this.#shown === "reset";
    const refusal = this.#refusal;
    const isAbout = (name: string): boolean =>
      refusal !== undefined && (refusal === "matrixPasswordsDiffer") === (name === "repeat");
    const one = (name: string, text: keyof Texts, autocomplete: string): TemplateResult =>
      field(
        { id: this.#id, invalid: isAbout(name) },
        {
          name,
          label: this.#term(text),
          autocomplete,
          type: name === "email" ? "email" : name === "username" ? "text" : "password",
        },
      );
    const fields = html`${
      isReset ? one("email", "matrixEmail", "email") : one("username", "uiaUser", "username")
    }
    ${one("password", isReset ? "matrixNewPassword" : "matrixPassword", "new-password")}
    ${one("repeat", "matrixRepeatPassword", "new-password")}`;
    const error = refusal
      ? html`<p class="error" id=${this.#id("error")} role="alert">${this.#term(refusal)}</p>`
      : nothing;
    const purpose = `${found.homeserverUrl} ${this.#shown}`;
    this.#form.show(purpose, fields, error, () => void this.#submit(found));
  }

  #back(): void {
    if (this.#model.state === "authenticating") this.#dialog?.cancel();
    this.show(undefined);
  }

  get #dialog(): UiaDialogElement | null | undefined {
    return this.#host.shadowRoot?.querySelector("uia-dialog");
  }

  async #submit(found: FoundHomeserver): Promise<void> {
    const form = this.#form.element;
    const method = this.#shown;
    if (!form || !method || this.#model.state === "authenticating") return;
    const values = new FormData(form);
    const password = values.get("password");
    if (typeof password !== "string" || password === "") return;
    if (password !== values.get("repeat")) return this.#refuse("matrixPasswordsDiffer");
    this.#refusal = undefined;
    if (!this.#model.announceStart(method)) return;
    const client = new HomeserverClient({ baseUrl: found.homeserverUrl });
    await this.#model.authenticate(method, () =>
      method === "registration"
        ? this.#register(client, valueOf(values, "username"), password)
        : this.#reset(client, valueOf(values, "email"), password),
    );
    this.#host.requestUpdate();
  }

  async #register(
    client: HomeserverClient,
    username: string,
    password: string,
  ): Promise<LegacyLoginResult | undefined> {
    const isFree = await client.isUsernameAvailable(username).catch((error: unknown) => {
      if ((error as { readonly errcode?: string }).errcode !== "M_INVALID_USERNAME") throw error;
      this.#refuse("matrixUserInvalid");
      return undefined;
    });
    if (isFree === false) this.#refuse("matrixUserTaken");
    if (!isFree) return undefined;
    const { deviceName, deviceId } = this.#host;
    const requestedAt = Date.now();
    const response: JsonObject = await this.#authenticate((auth) =>
      client.register({
        username,
        password,
        auth,
        refresh_token: true,
        initial_device_display_name: deviceName || undefined,
        device_id: deviceId || undefined,
      }),
    );
    return readLoginResponse(client.baseUrl, response, requestedAt);
  }

  async #reset(client: HomeserverClient, email: string, password: string): Promise<undefined> {
    const dialog = this.#dialog;
    if (!dialog) return;
    dialog.client = client;
    dialog.inputs = { emailAddress: email };
    dialog.requestEmailToken = async (address, secret, attempt) =>
      client.requestPasswordEmailToken(address, secret, attempt);
    await dialog.authenticate((auth) => client.setPassword(auth, password, true));
    this.show(undefined);
    this.#isReset = true;
  }

  async #authenticate<T>(request: DoRequest<T>): Promise<T> {
    const dialog = this.#dialog;
    if (!dialog) throw new LoginError("aborted", "The element is not on the page");
    return dialog.authenticate(request);
  }

  #refuse(text: keyof Texts): void {
    this.#refusal = text;
    this.#host.requestUpdate();
  }

  #term(key: keyof Texts): string {
    return this.#host.localize.term(key);
  }
}
