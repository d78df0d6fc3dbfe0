// @ts-check
import { errors } from "./provider-library.js";

// The stable prefix (MSC2967, specification v1.15), and the unstable one that clients used before.
const PREFIX = /^urn:matrix:(org\.matrix\.msc2967\.)?client:/;
const API = /^urn:matrix:(?:org\.matrix\.msc2967\.)?client:api:\*$/;
const DEVICE = /^urn:matrix:(?:org\.matrix\.msc2967\.)?client:device:(.+)$/;
// The policy of Matrix Authentication Service: at least ten characters that URLs can contain.
const DEVICE_ID = /^[A-Za-z0-9._~!$&'()*+,;=:@/-]{10,255}$/;

/** The scopes with a fixed name. Device scopes have none. */
export const FIXED_SCOPES = Object.freeze([
  "openid",
  "profile",
  "urn:matrix:client:api:*",
  "urn:matrix:org.matrix.msc2967.client:api:*",
]);

/**
 * @param {string | undefined} scope
 * @returns {string | null}
 */
export function deviceIdOf(scope) {
  for (const part of scope?.split(" ") ?? []) {
    const id = DEVICE.exec(part)?.[1];
    if (id) return id;
  }
  return null;
}

/**
 * @param {string | undefined} scope
 * @returns {boolean}
 */
export function opensMatrixApi(scope) {
  return scope?.split(" ").some((part) => API.test(part)) ?? false;
}

/**
 * Declares to the provider which of the requested scopes exist, for this one request.
 *
 * oidc-provider silently drops scopes outside a fixed set, while each Matrix device has a separate scope. Two
 * other solutions are visible to clients: with a larger set, `scopes_supported` lists the devices of all
 * users, and with a resource server the token response lacks `openid`. So this replaces the set for the
 * current request. `features.resourceIndicators.defaultResource` calls it. Of the documented hooks, only that
 * one runs right before the provider drops scopes, in the authorization request, its continuation after each
 * page, and the device grant.
 *
 * @param {any} ctx the provider's Koa context
 */
export function admitMatrixScopes(ctx) {
  const { oidc } = ctx;
  if (!oidc.params?.scope || Object.hasOwn(oidc, "requestParamOIDCScopes")) return;
  assertMatrixPolicy(oidc.params.scope);
  Object.defineProperty(oidc, "requestParamOIDCScopes", {
    get: () =>
      new Set(
        oidc.params.scope
          ?.split(" ")
          .filter((/** @type {string} */ part) => FIXED_SCOPES.includes(part) || DEVICE.test(part)),
      ),
  });
}

/**
 * Rejects the same scopes as Matrix Authentication Service, so that clients' errors appear early.
 *
 * @param {string} scope
 */
function assertMatrixPolicy(scope) {
  const parts = scope.split(" ").filter((part) => PREFIX.test(part));
  const devices = parts.filter((part) => DEVICE.test(part));
  const unstable = parts.filter((part) => part.startsWith("urn:matrix:org."));
  /** @type {(reason: string) => never} */
  const refuse = (reason) => {
    throw new errors.InvalidScope(reason, parts.join(" "));
  };

  if (devices.length > 1) refuse("only one device scope is allowed");
  if (devices.length === 1 && !opensMatrixApi(scope)) {
    refuse("a device scope needs the client API scope");
  }
  if (unstable.length > 0 && unstable.length < parts.length) {
    refuse("stable and unstable Matrix scopes must not be mixed");
  }
  const id = deviceIdOf(scope);
  if (id !== null && !DEVICE_ID.test(id)) {
    refuse("a device id has ten or more unreserved characters");
  }
}
