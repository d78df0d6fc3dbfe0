// The entry that registers no element exports elements and core: every element, event and detail.
import {
  AuthType,
  authClientContext,
  HomeserverClient,
  InteractiveAuth,
  OidcFlowError,
  OidcLoginElement,
  provideAuthClient,
  registerTranslation,
  UiaDoRequestEvent,
  type AccountDevice,
  type AuthDict,
  type AuthenticateOptions,
  type IStageStatus,
  type LoginAction,
  type LoginMethod,
  type OidcErrorCode,
  type PhoneValidation,
  type UiaSession,
} from "matrix-auth-elements";
import type * as core from "matrix-auth-elements/core";

/** Compiles only if both types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
declare function holds<T extends true>(...proof: T[]): void;

type Tags =
  | "matrix-account"
  | "matrix-login"
  | "oidc-login"
  | "oidc-callback"
  | "uia-dialog"
  | "uia-fallback-frame";
holds<Same<Extract<keyof HTMLElementTagNameMap, `${"matrix" | "oidc" | "uia"}-${string}`>, Tags>>();

const login = document.createElement("oidc-login");
login.clientId = "client";
login.clientMetadata = { clientName: "Client" };
login.registration = "reuse";
login.disabled = true;
const prepared: Promise<void> = login.prepare();
const sameClass: OidcLoginElement = login;
// @ts-expect-error It is neither of the two values.
login.registration = "never";
// @ts-expect-error It is read-only.
login.state = "ready";
// @ts-expect-error It is internal.
login.localize;

holds<Same<HTMLElementTagNameMap["oidc-callback"]["client"], HomeserverClient | undefined>>();

const matrixLogin = document.createElement("matrix-login");
matrixLogin.suggestions = ["example.org"];
matrixLogin.suggestions = "example.org example.com";
matrixLogin.accounts = "many";
const checked: Promise<void> = matrixLogin.check("example.org");
const started: Promise<void> = matrixLogin.start("sso", { idpId: "github", action: "register" });
holds<Same<typeof matrixLogin.session, core.MatrixSession | undefined>>();
holds<Same<typeof matrixLogin.method, LoginAction | undefined>>();
// @ts-expect-error Only the user can enter a password.
void matrixLogin.start("password");
// @ts-expect-error It is neither of the two values.
matrixLogin.accounts = "all";
// @ts-expect-error It is read-only.
matrixLogin.session = undefined;

const account = document.createElement("matrix-account");
account.client = new HomeserverClient({ baseUrl: "https://hs.example" });
account.sections = "devices password";
holds<Same<typeof account.devices, readonly AccountDevice[]>>();
holds<Same<typeof account.management, "homeserver" | "provider" | undefined>>();
holds<Same<typeof account.session, core.MatrixSession | undefined>>();
const refreshed: Promise<void> = account.refresh();
// @ts-expect-error It is read-only.
account.userId = "@alice:hs.example";

const frame = document.querySelector("uia-fallback-frame");
frame?.open();

const dialog = document.querySelector("uia-dialog");
if (dialog) {
  const devices: Promise<string[]> = dialog.authenticate(() => Promise.resolve(["LAPTOP"]));
  const session: UiaSession | undefined = dialog.session;
  // @ts-expect-error The result has the request's type.
  const other: Promise<number> = dialog.authenticate(() => Promise.resolve(["LAPTOP"]));
  const options: AuthenticateOptions = {
    key: ["LAPTOP"],
    heading: "Sign out?",
    description: "It",
    submitLabel: () => "Sign out",
    destructive: true,
    requestEmailToken: () => Promise.resolve({ sid: "sid" }),
    requestPhoneToken: () => Promise.resolve({ sid: "sid" }),
  };
  const joined: Promise<string[]> = dialog.authenticate(() => Promise.resolve(["LAPTOP"]), options);
  // @ts-expect-error The name is misspelled.
  void dialog.authenticate(() => Promise.resolve(1), { heeding: "Sign out?" });
  void [devices, session, other, joined];
}

type Own = Extract<keyof HTMLElementEventMap, `${"matrix" | "oidc" | "uia"}-${string}`>;
type Details = { [E in Own]: HTMLElementEventMap[E]["detail"] };
type AccountSection = "profile" | "devices" | "password" | "contacts" | "deactivation";
interface FallbackPage {
  readonly stage: string;
  readonly session: string | null;
  readonly url: string;
}
holds<
  Same<
    Details,
    {
      "matrix-account-change": {
        readonly section: AccountSection;
        readonly action: "signed-out" | "renamed" | "changed" | "added" | "removed" | "deactivated";
        readonly deviceIds?: readonly string[];
        readonly medium?: string;
        readonly address?: string;
      };
      "matrix-account-link": {
        readonly action: string;
        readonly deviceId?: string;
        readonly url: string;
      };
      "matrix-account-sign-out": {
        readonly userId: string;
        readonly deviceId: string | undefined;
      };
      "matrix-account-error": {
        readonly section?: AccountSection | undefined;
        readonly error: Error;
        readonly code: string;
      };
      "matrix-login-homeserver": {
        readonly homeserver: string;
        readonly homeserverUrl: string;
        readonly methods: readonly LoginMethod[];
        readonly flows: core.LoginFlows;
      };
      "matrix-login-view": {
        readonly view: "homeserver" | "sign-in" | "registration" | "reset" | "success";
      };
      "matrix-login-start": { readonly method: LoginAction; readonly homeserverUrl: string };
      "matrix-login-redirect": { readonly method: "oauth" | "sso"; readonly url: string };
      "matrix-login-success": {
        readonly method: Exclude<LoginAction, "reset">;
        readonly session: core.MatrixSession;
        readonly client: HomeserverClient;
        readonly userId: string | undefined;
        readonly deviceId: string;
        readonly homeserverUrl: string;
        readonly returnTo?: string;
      };
      "matrix-login-cancel": {
        readonly method: LoginAction | undefined;
        readonly reason: "refused" | "closed" | "cancelled";
      };
      "matrix-login-error": {
        readonly method?: LoginAction | undefined;
        readonly error: Error & { readonly code: string };
        readonly code: string;
      };
      "oidc-login-start": {
        readonly homeserver: string | undefined;
        readonly prompt: string | undefined;
      };
      "oidc-redirect": { readonly url: string };
      "oidc-success": core.AuthorizationCodeGrantResult;
      "oidc-cancel": { readonly reason: "refused" | "cancelled" };
      "oidc-error": { readonly error: OidcFlowError; readonly code: OidcErrorCode };
      "uia-state-updated": { readonly nextStage: string; readonly status: IStageStatus };
      "uia-busy-changed": { readonly busy: boolean };
      "uia-do-request": { readonly authData: AuthDict | null; readonly background: boolean };
      "uia-request-email-token": {
        readonly email: string;
        readonly secret: string;
        readonly attempt: number;
        readonly session: string | null;
      };
      "uia-request-phone-token": {
        readonly country: string;
        readonly phone: string;
        readonly secret: string;
        readonly attempt: number;
        readonly session: string | null;
      };
      "uia-success": { readonly result: unknown };
      "uia-cancel": { readonly reason: unknown };
      "uia-error": { readonly error: unknown; readonly code: string };
      "uia-fallback-open": FallbackPage;
      "uia-fallback-done": FallbackPage;
      "uia-fallback-close": FallbackPage;
      "uia-fallback-blocked": FallbackPage;
    }
  >
>();

dialog?.addEventListener("uia-do-request", (event) => {
  holds<Same<typeof event, UiaDoRequestEvent>>();
  event.respondWith(fetch(event.detail.authData?.type ?? ""));
});
dialog?.addEventListener("uia-request-phone-token", (event) => {
  holds<
    Same<Parameters<typeof event.respondWith>[0], PhoneValidation | PromiseLike<PhoneValidation>>
  >();
  // @ts-expect-error The homeserver's `sid` is missing.
  event.respondWith({ submit_url: "https://hs.example/submit" });
});
// @ts-expect-error The detail has no such member.
login.addEventListener("oidc-redirect", ({ detail }) => detail.href);

// Bubbling events have types on every ancestor; others only on their element.
document.addEventListener("oidc-success", ({ detail }) => detail.tokenResponse.access_token);
window.addEventListener("uia-error", ({ detail }) => detail.code.length);
document.body.addEventListener("oidc-cancel", ({ detail }) => detail.reason);
window.addEventListener("matrix-login-success", ({ detail }) => detail.session.key.length);
document.addEventListener("matrix-account-change", ({ detail }) => detail.deviceIds?.length);
// @ts-expect-error The event does not bubble, so it is a plain Event here.
document.addEventListener("matrix-login-homeserver", ({ detail }) => detail);
// @ts-expect-error The event does not bubble, so it is a plain Event here.
document.addEventListener("uia-busy-changed", ({ detail }) => detail);

const client = new HomeserverClient({ baseUrl: "https://hs.example" });
const auth = new InteractiveAuth({
  matrixClient: client,
  doRequest: (dict) => client.deleteDevice("LAPTOP", dict),
  stateUpdated: (stage, status) => void [stage === AuthType.Password, status.errcode],
  requestEmailToken: (email, secret, attempt) =>
    client.requestAdd3pidEmailToken(email, secret, attempt),
  inputs: {},
});
provideAuthClient(document.body, client);
registerTranslation({ $code: "nl", signIn: "Inloggen" });
// @ts-expect-error There is no such key.
registerTranslation({ $code: "nl", signin: "Inloggen" });

export const uses = [prepared, checked, started, refreshed, sameClass, auth.attemptAuth()];
export { authClientContext };
