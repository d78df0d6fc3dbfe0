// @ts-check
import { deviceIdOf, opensMatrixApi } from "./matrix-scopes.js";

/**
 * @typedef {object} Application
 * @property {string} name its name, unverified
 * @property {string} host its host
 * @property {string | null} returnHost the host of the next page, if it is another one
 * @property {string | null} policyUri
 * @property {string | null} tosUri
 */

/**
 * The app's data for the pages.
 *
 * @param {any} client the provider's client
 * @param {string | undefined} redirectUri
 * @returns {Application}
 */
export function describeApplication(client, redirectUri) {
  const home = hostOf(client.clientUri);
  const returnHost = hostOf(redirectUri);
  const host = home ?? returnHost ?? client.clientId;
  return {
    name: client.clientName?.trim() || host,
    host,
    returnHost: returnHost === host ? null : returnHost,
    policyUri: webAddress(client.policyUri),
    tosUri: webAddress(client.tosUri),
  };
}

/**
 * @param {string | undefined} scope
 * @returns {{ api: boolean, deviceId: string | null, identity: boolean }}
 */
export function describeScope(scope) {
  const parts = scope?.split(" ") ?? [];
  return {
    api: opensMatrixApi(scope),
    deviceId: deviceIdOf(scope),
    identity: parts.includes("openid"),
  };
}

/**
 * The name in a user's input, or in a `login_hint`: `alice`, `@Alice:example.org`,
 * `mxid:@alice:example.org` (MSC4198).
 *
 * @param {unknown} text
 * @returns {string}
 */
export function localpartFrom(text) {
  if (typeof text !== "string") return "";
  const name = text.trim().replace(/^mxid:/, "");
  return (name.startsWith("@") ? name.slice(1).replace(/:.*$/s, "") : name).toLowerCase();
}

/** @param {string | undefined} address */
function hostOf(address) {
  const url = address && URL.canParse(address) ? new URL(address) : null;
  return url ? url.host || url.protocol : null;
}

/** @param {string | undefined} address */
function webAddress(address) {
  return address && /^https?:/.test(address) ? address : null;
}
