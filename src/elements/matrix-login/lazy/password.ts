import { html, nothing, type TemplateResult } from "lit";
import type { UserIdentifier } from "../../../core/index.js";
import { isLoopbackHost, parseUrl } from "../../../core/http/url.js";
import { LoginError } from "../../../core/legacy/errors.js";
import { loginWithPassword } from "../../../core/legacy/login.js";
import { discoverHomeserver } from "../../../core/matrix/discovery.js";
import { saysNothing } from "../../../core/uia/failure.js";
import type { CodedError } from "../../../errors/lazy/error-text.js";
import { serverOfUser, understood } from "../../../sign-in/lazy/homeserver.js";
import { keepLegacyLogin, type SignedInUser } from "../../../sign-in/lazy/signed-in.js";
import { loadSession } from "../../../sign-in/session-attributes.js";
import { field, valueOf, valuesOf } from "../../../ui/lazy/field.js";
import { type LightForm, renderSubmit, setDisabled } from "../../../ui/lazy/form.js";
import type { FoundHomeserver } from "./lookup.js";
import type { LoginModel } from "./model.js";
import { givenBy, isUsersChoice, localpartOf, serverNameOf, sessionOptions } from "./settings.js";

/** Signs in with a password, which is sent only to the homeserver that it was typed for. */
export class PasswordForm {
  readonly #model: LoginModel;
  readonly #form: LightForm;
  /** The username that was entered. It isn't a secret, and might be valid on another homeserver. */
  #user: string | undefined;
  #error: unknown;
  /** The user's own homeserver, if the password was not sent because it is another one. */
  #elsewhere: { readonly server: string; readonly error: CodedError | undefined } | undefined;

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
    return html`<slot name="fields"></slot> ${alert} ${this.#renderElsewhere()}
      ${renderSubmit(text, isSubmitting, () => this.#form.submit(), { disabled })}`;
  }

  /** The button that changes to the user's own homeserver. */
  #renderElsewhere(): TemplateResult | typeof nothing {
    const { server, error } = this.#elsewhere ?? {};
    if (!server || error !== this.#model.error || !isUsersChoice(this.#model.host)) return nothing;
    const text = this.#model.host.localize.term("signInTo").replace("{server}", () => server);
    const onClick = (): unknown => this.#model.check(server);
    return html`<button part="change" class="link" type="button" @click=${onClick}>
      ${text}
    </button>`;
  }

  updated(found: FoundHomeserver): void {
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
      purpose: found.homeserverUrl,
      fields,
      isBusy: () => this.#isBusy,
      submit: (values) => this.#submit(found, values),
    });
    setDisabled(form, this.#model.host.disabled);
    if (invalid && this.#error !== this.#model.error) {
      form.querySelector<HTMLElement>("[name=password]")?.focus();
    }
    this.#error = this.#model.error;
    form.oninput = (): void => {
      // The user will need it, and the submission must not wait for it.
      void loadSession();
      this.#user = valueOf(valuesOf(form), "username");
    };
  }

  reset(): void {
    this.#user = undefined;
  }

  get #isBusy(): boolean {
    return this.#model.isBusy || this.#model.host.disabled;
  }

  #submit(found: FoundHomeserver, values: FormData): boolean | Promise<boolean> {
    const password = values.get("password");
    const user = valueOf(values, "username");
    // The page might have set another homeserver just now.
    if (found !== this.#model.found || typeof password !== "string") return false;
    return !this.#model.announceStart("password") || this.#send(found, user, password);
  }

  /** @returns Whether a failure says nothing about the password. */
  async #send(found: FoundHomeserver, user: string, password: string): Promise<boolean> {
    await this.#model.signIn("password", (signal) => this.#logIn(found, user, password, signal));
    const { error } = this.#model;
    const isElsewhere = error?.code === "user_elsewhere";
    this.#elsewhere = isElsewhere ? { server: serverOfUser(user) ?? "", error } : undefined;
    this.#model.host.requestUpdate();
    return isElsewhere || saysNothing(error);
  }

  async #logIn(
    found: FoundHomeserver,
    user: string,
    password: string,
    signal: AbortSignal,
  ): Promise<SignedInUser> {
    const { homeserverUrl, identityServerUrl } = found;
    const { device, session } = givenBy(this.#model.host);
    await assertUserAt(found, user, user !== device.expectedUserId, signal);
    const login = { homeserverUrl, identityServerUrl, ...device };
    const credentials = { identifier: identifierOf(user), password };
    // Loaded before there is a token, which would be lost without a session.
    await loadSession();
    const result = await loginWithPassword({ ...login, ...credentials }, { signal });
    return keepLegacyLogin(result, sessionOptions(session, result), !!device.deviceId);
  }
}

/** A localpart or a user ID, otherwise an email address. */
const identifierOf = (user: string): UserIdentifier =>
  /^[^@\s]+@[^@\s]+$/.test(user)
    ? { type: "m.id.thirdparty", medium: "email", address: user }
    : { type: "m.id.user", user };

/**
 * A password for a user ID is sent only to that user's homeserver.
 *
 * @param isTyped Whether the user, not the page, names the user ID. Then that of a server which names
 *   no homeserver is rejected, too, because the user can enter only the localpart instead.
 * @throws {LoginError} `user_elsewhere`
 */
async function assertUserAt(
  { homeserver, homeserverUrl }: FoundHomeserver,
  user: string,
  isTyped: boolean,
  signal: AbortSignal,
): Promise<void> {
  const given = serverOfUser(user);
  if (given === undefined) return;
  const server = understood(given);
  const url = new URL(homeserverUrl);
  if (server === url.host || server === understood(serverNameOf(homeserver))) return;
  const { hostname } = parseUrl(`https://${server}`) ?? {};
  // Homeservers for development have the port only in their URL.
  if (hostname === url.hostname && isLoopbackHost(hostname)) return;
  const own = await discoverHomeserver(server, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (own?.baseUrl === homeserverUrl) return;
  if (!isTyped && (!own || new URL(own.baseUrl).host === server)) return;
  throw new LoginError("user_elsewhere", `The user's homeserver is ${server}`);
}
