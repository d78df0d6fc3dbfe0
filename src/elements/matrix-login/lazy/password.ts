import { html, nothing, type TemplateResult } from "lit";
import type { UserIdentifier } from "../../../core/index.js";
import { loginWithPassword } from "../../../core/legacy/login.js";
import { keepLegacyLogin, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { field, valueOf } from "../../../ui/lazy/field.js";
import { type LightForm, renderSubmit, setDisabled } from "../../../ui/lazy/form.js";
import type { FoundHomeserver } from "./lookup.js";
import type { LoginModel } from "./model.js";
import { deviceNameOf, localpartOf, sessionOptions } from "./settings.js";

/** Signs in with a password, which is sent only to the homeserver that it was typed for. */
export class PasswordForm {
  readonly #model: LoginModel;
  readonly #form: LightForm;
  /** The username that was entered. It isn't a secret, and might be valid on another homeserver. */
  #user: string | undefined;
  #error: unknown;

  constructor(model: LoginModel, form: LightForm) {
    this.#model = model;
    this.#form = form;
  }

  render(alert: TemplateResult): TemplateResult {
    const { found, state } = this.#model;
    const isSubmitting = state === "submitting";
    const disabled = !isSubmitting && this.#isBusy;
    const server = found ? new URL(found.homeserverUrl).host : "";
    const text = this.#model.host.localize.term("signInTo").replace("{server}", () => server);
    return html`<slot name="fields"></slot> ${alert}
      ${renderSubmit(text, isSubmitting, () => this.#form.submit(), { disabled })}`;
  }

  updated({ homeserverUrl }: FoundHomeserver): void {
    const { localize, userId, homeserver } = this.#model.host;
    const invalid = this.#model.error?.code === "credentials_invalid";
    const errorId = invalid ? this.#form.id("error") : undefined;
    // The element shows the error, but a field can only reference an element in the same tree.
    const error = html`<p class="uia-visually-hidden" id=${errorId}>
      ${localize.term("errorCredentials")}
    </p>`;
    const fields = html`${field(this.#form, {
      name: "username",
      label: localize.term(userId ? "userId" : "usernameOrEmail"),
      autocomplete: "username",
      value: userId || this.#user || localpartOf(homeserver) || "",
      readonly: !!userId,
      errorId,
    })}${field(this.#form, {
      name: "password",
      label: localize.term("password"),
      type: "password",
      autocomplete: "current-password",
      errorId,
    })}${errorId ? error : nothing}`;
    const form = this.#form.show({
      purpose: homeserverUrl,
      fields,
      isBusy: () => this.#isBusy,
      submit: () => this.#submit(),
    });
    setDisabled(form, this.#model.host.disabled);
    if (invalid && this.#error !== this.#model.error) {
      form.querySelector<HTMLElement>("[name=password]")?.focus();
    }
    this.#error = this.#model.error;
    form.oninput = (): void => {
      // The user will need it, and the submission must not wait for it.
      void loadSession();
      this.#user = valueOf(new FormData(form), "username");
    };
  }

  reset(): void {
    this.#user = undefined;
  }

  get #isBusy(): boolean {
    return this.#model.isBusy || this.#model.host.disabled;
  }

  #submit(): void {
    const form = this.#form.element;
    const { found } = this.#model;
    if (!form || !found || this.#isBusy) return;
    const values = new FormData(form);
    const password = values.get("password");
    const user = valueOf(values, "username");
    if (typeof password !== "string") return;
    if (!this.#model.announceStart("password")) return;
    this.#form.clearPasswords();
    void this.#model.signIn("password", (signal) => this.#logIn(found, user, password, signal));
  }

  async #logIn(
    { homeserverUrl, identityServerUrl }: FoundHomeserver,
    user: string,
    password: string,
    signal: AbortSignal,
  ): Promise<SignedInUser> {
    const { deviceId, userId: expectedUserId } = this.#model.host;
    const { persist, store, sessionKey, accounts } = this.#model.host;
    const settings = { persist, store, sessionKey, accounts };
    const device = { deviceId, deviceName: deviceNameOf(this.#model.host), expectedUserId };
    const login = { homeserverUrl, identityServerUrl, ...device };
    const credentials = { identifier: identifierOf(user), password };
    // Loaded before there is a token, which would be lost without a session.
    await loadSession();
    const result = await loginWithPassword({ ...login, ...credentials }, { signal });
    return keepLegacyLogin(result, sessionOptions(settings, result), !!deviceId);
  }
}

/** A localpart or a user ID, otherwise an email address. */
const identifierOf = (user: string): UserIdentifier =>
  /^[^@\s]+@[^@\s]+$/.test(user)
    ? { type: "m.id.thirdparty", medium: "email", address: user }
    : { type: "m.id.user", user };
