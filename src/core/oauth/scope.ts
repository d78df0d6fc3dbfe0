import { secureRandomString } from "../shared/base64url.js";
import { isDeviceId } from "../shared/identifiers.js";
import { flowError, settingsInvalid } from "./errors.js";
import type { OidcFlowError } from "./flow-error.js";

export const STABLE_SCOPE = "urn:matrix:client:";
const UNSTABLE_SCOPE = "urn:matrix:org.matrix.msc2967.client:";

/** The specification requires at least ten characters. */
export const generateDeviceId = (): string => secureRandomString(10);

/**
 * The scope of a sign-in: the client-server API, for one device.
 *
 * @param deviceId The device to sign in. Default: a new one.
 * @param options `openid`: whether to request an ID token; default: true. `unstable`: whether to
 *   use the names from before Matrix 1.15, for old servers; default: false. `additional`: further
 *   scopes, such as `urn:synapse:admin:*`.
 * @throws {OidcFlowError} `Misconfigured` (`settings_invalid`) if an ID or scope is empty or has a
 *   character that is not allowed in a scope.
 * @see https://spec.matrix.org/v1.19/client-server-api/#scope
 * @experimental
 */
export function generateScope(
  deviceId: string = generateDeviceId(),
  options: {
    readonly openid?: boolean | undefined;
    readonly unstable?: boolean | undefined;
    readonly additional?: readonly string[] | undefined;
  } = {},
): string {
  const { openid = true, unstable, additional = [] } = options;
  const prefix = unstable ? UNSTABLE_SCOPE : STABLE_SCOPE;
  const scopes = [
    ...(openid ? ["openid"] : []),
    `${prefix}api:*`,
    `${prefix}device:${deviceId}`,
    ...additional,
  ];
  // RFC 6749, section 3.3. An empty device ID would request no device.
  if (!deviceId || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
    throw settingsInvalid("A device ID or scope contains characters that RFC 6749 does not allow");
  }
  return scopes.join(" ");
}

const CLIENT_SCOPE = /^urn:matrix:(?:org\.matrix\.msc2967\.)?client:((?:api|device):[^]*)/;

/** Also matches forms of a device that we never request, but that a homeserver might accept. */
const DEVICE_SCOPE = /^urn:matrix:(?:[^:]+\.)?client:device(?::([^]*))?$/i;

/**
 * Reads a granted scope. The device is undefined if the scope names several devices, or no valid
 * one.
 */
export function readScope(scope: string): {
  readonly openid: boolean;
  readonly api: boolean;
  readonly deviceId: string | undefined;
  /** All devices. One without an ID has an empty name. */
  readonly devices: readonly string[];
  readonly additional: readonly string[];
} {
  // Homeservers separate them by any whitespace.
  const scopes = scope.split(/\s+/).filter(Boolean);
  const names = scopes.flatMap((each) => CLIENT_SCOPE.exec(each)?.[1] ?? []);
  const devices = scopes.flatMap((each) => {
    const device = DEVICE_SCOPE.exec(each);
    return device ? [device[1] ?? ""] : [];
  });
  const [deviceId, other] = new Set(devices);
  return {
    openid: scopes.includes("openid"),
    api: names.includes("api:*"),
    deviceId: other === undefined && isDeviceId(deviceId) ? deviceId : undefined,
    devices,
    additional: scopes.filter(
      (each) => each !== "openid" && !CLIENT_SCOPE.test(each) && !DEVICE_SCOPE.test(each),
    ),
  };
}

/**
 * Whether a granted scope names only the requested device, or no device: then the homeserver
 * chooses it.
 *
 * @param requested Empty or undefined if none was requested. The scope can then name any single
 *   device.
 */
export function isForDevice(scope: string, requested: string | undefined): boolean {
  const [device, other] = new Set(readScope(scope).devices);
  if (device === undefined) return true;
  return other === undefined && (requested ? device === requested : device !== "");
}

/** The same scope, with a new device instead of the named one. */
export function withNewDevice(scope: string): string {
  const renamed = (all: string, device = ""): string =>
    all.slice(0, all.length - device.length) + generateDeviceId();
  return scope
    .split(/\s+/)
    .map((each) => each.replace(DEVICE_SCOPE, renamed))
    .join(" ");
}

/**
 * @param problem Consists only of our own words and of requested scopes: a granted scope could
 * repeat a token.
 */
export const scopeNotGranted = (problem: string): OidcFlowError =>
  flowError("Invalid bearer token response", "scope_not_granted", `The provider ${problem}`);

export const NO_API = "granted no access to the client-server API";
export const OTHER_DEVICE = "granted another device, or several";
