// The sign-in methods, and the steps after them. The controller runs one of them at a time.
import type { SsoRedirectOptions } from "../../core/matrix/request.js";
import { LoginError } from "../../core/legacy/errors.js";
import { MatrixError } from "../../core/matrix/error.js";
import { saysNothing } from "../../errors/coded-error.js";
import { ownUrl } from "../../sign-in/page-urls.js";
import { reportUser, type SignedInUser } from "../../sign-in/signed-in.js";
import { lazyPart } from "../../ui/loading.js";
import type { AccountForm } from "./account-form.js";
import type { FoundHomeserver } from "./lookup.js";
import type { MatrixLoginElement } from "./matrix-login.js";
import type { ReturnedLogin } from "./returned-login.js";
import { type Given, givenBy, type LoginAction } from "./settings.js";
import { startSso } from "./sso.js";
import type { LoginState } from "./state.js";

/** Signs in with a password. */
export const loadPassword = /* @__PURE__ */ lazyPart(() => import("./password.js"));

/** One attempt to sign in. */
export interface Attempt {
  readonly method: LoginAction;
  /** The element's state during the attempt. */
  readonly state: LoginState;
  /** The page's settings at the start. Undefined for a returned sign-in, whose record has them. */
  readonly given: Given | undefined;
  /** @returns The user or the next state. Undefined if the user is not signed in. */
  readonly work: (signal: AbortSignal) => Promise<SignedInUser | LoginState | undefined>;
  /** Whether the same attempt might succeed after an error. The user submits a form again. */
  readonly canRetry?: (error: unknown) => boolean;
  /** Whether the password stays in its field, because an error doesn't concern it. */
  readonly keepsPassword?: (error: unknown) => boolean;
}

export function passwordAttempt(
  host: MatrixLoginElement,
  found: FoundHomeserver,
  credentials: { readonly user: string; readonly password: string },
): Attempt {
  const given = givenBy(host);
  return {
    method: "password",
    state: { name: "submitting" },
    given,
    work: async (signal) => {
      const { logInWithPassword } = await loadPassword();
      signal.throwIfAborted();
      return logInWithPassword(given, found, credentials, signal);
    },
    keepsPassword: (error) =>
      saysNothing(error) || (error instanceof LoginError && error.code === "user_elsewhere"),
  };
}

export function accountAttempt(
  host: MatrixLoginElement,
  form: AccountForm,
  values: FormData,
): Attempt {
  const given = givenBy(host);
  return {
    method: form.action,
    state: { name: "authenticating" },
    given,
    work: (signal) => form.send(values, given, signal),
    keepsPassword: (error) => {
      if (form.refusal) return form.refusal.name !== "password";
      // Homeservers have codes for rejected passwords.
      return error instanceof MatrixError || saysNothing(error);
    },
  };
}

/** @param leave Receives the URL. If it returns true, the browser opens the URL. */
export const ssoAttempt = (
  host: MatrixLoginElement,
  found: FoundHomeserver,
  options: SsoRedirectOptions,
  leave: (url: string) => boolean,
): Attempt => ({
  method: "sso",
  state: { name: "redirecting" },
  given: undefined,
  work: async (signal) => {
    const url = await startSso(host, found, options, signal);
    if (leave(url) && !signal.aborted) location.assign(url);
    return { name: "redirecting" };
  },
});

/** A sign-in that has succeeded. */
export interface Success {
  readonly method: LoginAction;
  readonly user: SignedInUser;
  /** The returned sign-in; undefined if the user has signed in on this page. */
  readonly login: ReturnedLogin | undefined;
  readonly given: Given | undefined;
}

/** Signs out after a cancellation. The device that the page named may have another session. */
export async function undo({ user, login, given }: Success): Promise<void> {
  const isDeviceNamed = login ? login.completion?.isDeviceNamed : given?.device.deviceId;
  await user.session.undo({ notify: !isDeviceNamed });
}

/** Fires the event of a sign-in. If several elements wait for a completion, only one fires it. */
export function report(host: MatrixLoginElement, { method, user, login }: Success): void {
  if (login && !login.completion?.takeAnnouncement()) return;
  const returnTo = ownUrl(host.returnTo || login?.completion?.appState["returnTo"]);
  const leaves = reportUser(host, method as Exclude<LoginAction, "reset">, user, returnTo);
  // "Back" must not return to a completed response.
  if (leaves && returnTo !== undefined) location.replace(returnTo);
}
