import type { OidcAuthorizationOptions, OidcRegistrationClientMetadata } from "../../core/index.js";
import type { RegistrationPolicy } from "../../core/oauth/client-cache.js";
import { flowError, settingsInvalid } from "../../core/oauth/errors.js";
import type { NamedProvider } from "../../core/oauth/issuer-confirmation.js";
import { applicationName } from "../../sign-in/device-name.js";
import { absoluteUrl, defaultRedirectUri, sameOriginUrl } from "../../sign-in/page-urls.js";
import { type ChooseStartedSession, type Starter, starterOf } from "../../sign-in/starter.js";
import { type LoginElement, type LoginMode, timeoutOf } from "../../sign-in/login-element.js";
import type { AuthElement } from "../../ui/element.js";
import type { OidcLoginElement } from "./oidc-login.js";

export interface LoginTarget {
  /** In milliseconds since the epoch. */
  readonly foundAt: number;
  readonly provider: NamedProvider;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
}

type Setting =
  Exclude<keyof LoginElement, keyof AuthElement> | "issuer" | "loginHint" | "identityServer";

/**
 * The values that a surrounding element sets: every setting, its discovery's result, and its
 * callbacks.
 */
export interface SurroundingSettings extends Pick<OidcLoginElement, Setting> {
  readonly target: LoginTarget | undefined;
  readonly starter: Starter;
  readonly chooseSession: ChooseStartedSession;
}

/** If one of these settings changes, the provider must be discovered again. */
export const PLACE_SETTINGS = ["homeserver", "issuer"] as const satisfies readonly Setting[];

/**
 * If one of these settings changes, a failed sign-in might now succeed, so its error is removed.
 * Other settings, such as the page's texts or the session's store, don't affect an error.
 */
export const APP_SETTINGS = [
  "clientId",
  "redirectUri",
  "clientUri",
  "logoUri",
  "tosUri",
  "policyUri",
  "prompt",
  "responseMode",
  "registration",
  "mode",
  "additionalScopes",
] as const satisfies readonly Setting[];

export interface LoginSettings extends Readonly<
  Pick<OidcLoginElement, "homeserver" | "issuer" | "clientId" | "returnTo">
> {
  readonly clientMetadata: OidcRegistrationClientMetadata;
  readonly registration: RegistrationPolicy;
  readonly mode: LoginMode;
  readonly starter: Starter;
  readonly timeoutMs: number;
  /** The parameters of the authorization request. */
  readonly request: Partial<OidcAuthorizationOptions> & { readonly redirectUri: string };
}

/**
 * Validates an element's settings.
 *
 * @throws {OidcFlowError} `Misconfigured`: `settings_invalid`, `homeserver_missing`.
 */
export function readSettings(host: OidcLoginElement): LoginSettings {
  const homeserver = text(host, "homeserver");
  const issuer = text(host, "issuer");
  if (!homeserver && !issuer) {
    const reason = "Neither homeserver nor issuer is set";
    throw flowError("OIDC is misconfigured", "homeserver_missing", reason);
  }
  const redirectUri = url(host, "redirectUri") ?? defaultRedirectUri();
  const returnTo = text(host, "returnTo");
  return {
    homeserver,
    issuer,
    clientId: text(host, "clientId"),
    clientMetadata: readClientMetadata(host, redirectUri),
    registration: oneOf(["per-login", "reuse"], host, "registration") ?? "per-login",
    mode: oneOf(["redirect", "popup"], host, "mode") ?? "redirect",
    starter: host.starter ?? starterOf("oidc-login", host),
    timeoutMs: timeoutOf(host),
    returnTo: returnTo && sameOriginUrl(returnTo, "return-to"),
    request: {
      redirectUri,
      prompt: text(host, "prompt"),
      loginHint: text(host, "loginHint") ?? (homeserver && hintOf(homeserver)),
      deviceId: text(host, "deviceId"),
      identityServerUrl: text(host, "identityServer"),
      responseMode: oneOf(["query", "fragment"], host, "responseMode", "response-mode"),
      additionalScopes: (text(host, "additionalScopes") ?? "").split(/\s/).filter(Boolean),
    },
  };
}

/**
 * Empty strings, null, and undefined all count as unset, because frameworks differ in how they
 * remove a value.
 */
function text(host: OidcLoginElement, name: Setting): string | undefined {
  const value: unknown = host[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") throw settingsInvalid(`${name} is not a string`);
  return value;
}

/** If `homeserver` is a user ID, it is also the login hint (MSC4198). */
function hintOf(homeserver: string): string | undefined {
  const userId = homeserver.trim();
  return /^@[^:]+:/.test(userId) ? `mxid:${userId}` : undefined;
}

function oneOf<T extends string>(
  allowed: readonly T[],
  host: OidcLoginElement,
  name: Setting,
  attribute: string = name,
): T | undefined {
  const given = text(host, name);
  const found = allowed.find((each) => each === given);
  if (given && !found) throw settingsInvalid(`${attribute} is neither ${allowed.join(" nor ")}`);
  return found;
}

function readClientMetadata(
  host: OidcLoginElement,
  redirectUri: string,
): OidcRegistrationClientMetadata {
  const clientMetadata: unknown = host.clientMetadata ?? {};
  if (typeof clientMetadata !== "object" || clientMetadata === null) {
    throw settingsInvalid("clientMetadata is not an object");
  }
  return {
    clientName: applicationName({ clientName: text(host, "clientName") }),
    clientUri: clientUri(host) ?? location.origin,
    logoUri: url(host, "logoUri"),
    tosUri: url(host, "tosUri"),
    policyUri: url(host, "policyUri"),
    redirectUris: [redirectUri],
    // An undefined member does not override anything.
    ...Object.fromEntries(
      Object.entries(clientMetadata).filter(([, value]) => value !== undefined),
    ),
  };
}

/** A path is resolved against this page; a host name without `https://` is a mistake. */
function clientUri(host: OidcLoginElement): string | undefined {
  const given = text(host, "clientUri");
  return given && /^[./]/.test(given) ? absoluteUrl(given, "clientUri") : given;
}

function url(host: OidcLoginElement, name: Setting): string | undefined {
  const given = text(host, name);
  return given && absoluteUrl(given, name);
}
