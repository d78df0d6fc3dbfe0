import type {
  OidcRegistrationClientMetadata,
  RegistrationPolicy,
  ResponseMode,
  ValidatedAuthMetadata,
} from "../../../core/index.js";
import { flowError, OidcError, settingsInvalid } from "../../../core/oauth/errors.js";
import { absoluteUrl, defaultRedirectUri, sameOriginUrl } from "../../../sign-in/lazy/page.js";
import type { ChooseSession } from "../../../sign-in/lazy/session-settings.js";
import type { LoginMode } from "../../../sign-in/login-element.js";
import type { SessionAttributes } from "../../../sign-in/session-attributes.js";
import type { AuthHost } from "../../../ui/element.js";

/** The state of a login; also a `:state()` of the element. */
export type OidcLoginState =
  "idle" | "preparing" | "ready" | "unsupported" | "redirecting" | "waiting" | "error";

/** Where a user can sign in. */
export interface LoginTarget {
  /** In milliseconds since the epoch. */
  readonly foundAt: number;
  readonly metadata: ValidatedAuthMetadata;
  readonly homeserverUrl: string;
  readonly identityServerUrl?: string;
}

/** A page's settings as they were set, not yet validated. */
export interface LoginAttributes extends SessionAttributes {
  readonly homeserver: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly redirectUri: string | undefined;
  readonly clientName: string | undefined;
  readonly clientUri: string | undefined;
  readonly logoUri: string | undefined;
  readonly tosUri: string | undefined;
  readonly policyUri: string | undefined;
  readonly clientMetadata: Partial<OidcRegistrationClientMetadata> | undefined;
  readonly prompt: string | undefined;
  readonly loginHint: string | undefined;
  readonly deviceId: string | undefined;
  readonly identityServer: string | undefined;
  readonly returnTo: string | undefined;
  readonly responseMode: ResponseMode | undefined;
  readonly registration: RegistrationPolicy | undefined;
  readonly mode: LoginMode | undefined;
  readonly additionalScopes: string | undefined;
}

/** What a login's controller needs of its element. */
export type LoginHost = AuthHost &
  LoginAttributes & {
    readonly disabled: boolean;
    /** What an element around this one has found out already. */
    readonly target: LoginTarget | undefined;
    /** How an element around this one keeps sessions. */
    readonly chooseSession: ChooseSession | undefined;
  };

/** A page's settings, validated, with every default filled in. */
export interface LoginSettings {
  readonly homeserver: string | undefined;
  readonly issuer: string | undefined;
  readonly clientId: string | undefined;
  readonly clientMetadata: OidcRegistrationClientMetadata;
  readonly registration: RegistrationPolicy;
  readonly redirectUri: string;
  readonly prompt: string | undefined;
  readonly loginHint: string | undefined;
  readonly deviceId: string | undefined;
  readonly identityServer: string | undefined;
  /** Undefined: depends on what the issuer supports. */
  readonly responseMode: ResponseMode | undefined;
  readonly returnTo: string | undefined;
  readonly mode: LoginMode;
  readonly additionalScopes: readonly string[];
}

/** Every setting but those that are objects. */
type TextSetting = Exclude<keyof LoginAttributes, "clientMetadata" | "store">;

const RESPONSE_MODES: readonly ResponseMode[] = ["query", "fragment"];
const MODES: readonly LoginMode[] = ["redirect", "popup"];
const REGISTRATIONS: readonly RegistrationPolicy[] = ["per-login", "reuse"];

/**
 * Validates an element's settings.
 *
 * @throws {OidcFlowError} `Misconfigured`: `settings_invalid`, `homeserver_missing`.
 */
export function readSettings(attributes: LoginAttributes): LoginSettings {
  const homeserver = text(attributes, "homeserver");
  const issuer = text(attributes, "issuer");
  if (!homeserver && !issuer) {
    const reason = "Neither homeserver nor issuer is set";
    throw flowError(OidcError.Misconfigured, "homeserver_missing", reason);
  }
  const redirectUri = url(attributes, "redirectUri") ?? defaultRedirectUri();
  const returnTo = text(attributes, "returnTo");
  return {
    homeserver,
    issuer,
    clientId: text(attributes, "clientId"),
    clientMetadata: readClientMetadata(attributes, redirectUri),
    registration: oneOf(REGISTRATIONS, attributes, "registration") ?? "per-login",
    redirectUri,
    prompt: text(attributes, "prompt"),
    loginHint: text(attributes, "loginHint") ?? (homeserver && hintOf(homeserver)),
    deviceId: text(attributes, "deviceId"),
    identityServer: text(attributes, "identityServer"),
    responseMode: oneOf(RESPONSE_MODES, attributes, "responseMode", "response-mode"),
    returnTo: returnTo && sameOriginUrl(returnTo, "return-to"),
    mode: oneOf(MODES, attributes, "mode") ?? "redirect",
    additionalScopes: (text(attributes, "additionalScopes") ?? "").split(/\s/).filter(Boolean),
  };
}

/** A setting. Empty, null and undefined all count as unset: frameworks differ in how they remove a value. */
function text(attributes: LoginAttributes, name: TextSetting): string | undefined {
  const value: unknown = attributes[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") throw settingsInvalid(`${name} is not a string`);
  return value;
}

/** A homeserver that is given by a user ID says who signs in (MSC4198). */
function hintOf(homeserver: string): string | undefined {
  const userId = homeserver.trim();
  return /^@[^:]+:/.test(userId) ? `mxid:${userId}` : undefined;
}

function oneOf<T extends string>(
  allowed: readonly T[],
  attributes: LoginAttributes,
  name: TextSetting,
  attribute: string = name,
): T | undefined {
  const given = text(attributes, name);
  const found = allowed.find((each) => each === given);
  if (given && !found) throw settingsInvalid(`${attribute} is neither ${allowed.join(" nor ")}`);
  return found;
}

function readClientMetadata(
  attributes: LoginAttributes,
  redirectUri: string,
): OidcRegistrationClientMetadata {
  const clientMetadata: unknown = attributes.clientMetadata ?? {};
  if (typeof clientMetadata !== "object" || clientMetadata === null) {
    throw settingsInvalid("clientMetadata is not an object");
  }
  return {
    clientName: text(attributes, "clientName") ?? (document.title || undefined),
    clientUri: clientUri(attributes) ?? location.origin,
    logoUri: url(attributes, "logoUri"),
    tosUri: url(attributes, "tosUri"),
    policyUri: url(attributes, "policyUri"),
    redirectUris: [redirectUri],
    // An undefined member does not override anything.
    ...Object.fromEntries(
      Object.entries(clientMetadata).filter(([, value]) => value !== undefined),
    ),
  };
}

/** A path is resolved against this page; a host name without `https://` is a mistake. */
function clientUri(attributes: LoginAttributes): string | undefined {
  const given = text(attributes, "clientUri");
  return given && /^[./]/.test(given) ? absoluteUrl(given, "clientUri") : given;
}

function url(attributes: LoginAttributes, name: TextSetting): string | undefined {
  const given = text(attributes, name);
  return given && absoluteUrl(given, name);
}
