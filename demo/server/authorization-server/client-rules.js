// @ts-check
import { errors } from "./provider-library.js";

// An app that works with the demo must also work with Matrix Authentication Service and tuwunel. So the demo
// rejects the same metadata as their policies/client_registration and src/api/oidc/registration.rs. One
// exception: both reject a `client_uri` with http on a loopback host, but the demo's own pages need it.

/**
 * The rule for the port of a redirect URI on a loopback host. `any`: a client may register a port, and any
 * port matches, as in Matrix Authentication Service. `none`: a client must not register a port, and any port
 * matches for IP addresses, but not for `localhost`, as in tuwunel.
 *
 * @typedef {"any" | "none"} LoopbackPorts
 */

const LOOPBACK_HOSTS = Object.freeze(["localhost", "127.0.0.1", "[::1]"]);

/** The URLs that users see, which must be the app's own. */
const LINKS = Object.freeze(["logo_uri", "tos_uri", "policy_uri"]);

/**
 * @param {Record<string, unknown>} metadata of a client that registers
 * @param {LoopbackPorts} loopbackPorts
 */
export function assertClientRules(metadata, loopbackPorts) {
  const home = urlOf(metadata["client_uri"]);
  const native = metadata["application_type"] === "native";
  const redirectUris = /** @type {unknown[]} */ (metadata["redirect_uris"] ?? []);
  for (const uri of redirectUris) {
    if (!isRedirectUri(urlOf(uri), { home, native, loopbackPorts })) {
      throw new errors.InvalidRedirectUri("invalid redirect_uri");
    }
  }
  // The Matrix specification requires only this field of every client.
  if (!home || !(isPublic(home) || isLoopback(home))) {
    throw new errors.InvalidClientMetadata("invalid client_uri");
  }
  for (const link of LINKS) {
    if (metadata[link] === undefined) continue;
    const url = urlOf(metadata[link]);
    const isAllowed = url && (isPublic(url) || (isLoopback(url) && isLoopback(home)));
    if (!isAllowed) throw new errors.InvalidClientMetadata(`invalid ${link}`);
    if (!isBelow(url, home)) {
      throw new errors.InvalidClientMetadata(`${link} not on the same host as the client_uri`);
    }
  }
}

/**
 * Applies `none` to a provider's clients. By default, any port of each loopback host matches.
 *
 * @param {any} provider
 */
export function matchPortsOfNumbersOnly(provider) {
  const { prototype } = provider.Client;
  const { redirectUriAllowed } = prototype;
  prototype.redirectUriAllowed = function (/** @type {string} */ uri) {
    if (this.redirectUris.includes(uri)) return true;
    return urlOf(uri)?.hostname !== "localhost" && redirectUriAllowed.call(this, uri);
  };
}

/**
 * @param {URL | undefined} url
 * @param {{ home: URL | undefined, native: boolean, loopbackPorts: LoopbackPorts }} client
 */
function isRedirectUri(url, { home, native, loopbackPorts }) {
  if (!url) return false;
  if (url.protocol === "https:") return isPublic(url) && isBelow(url, home);
  if (url.protocol === "http:") {
    return native && isLoopback(url) && (loopbackPorts === "any" || url.port === "");
  }
  // A private-use scheme is the home page's host in reverse. Its URLs have no host.
  const labels = home?.hostname.split(".").reverse();
  const scheme = url.protocol.slice(0, -1).split(".");
  return (
    native &&
    labels !== undefined &&
    scheme.length > 1 &&
    labels.every((label, at) => scheme[at] === label) &&
    !/^[^:]*:\/\//.test(url.href) &&
    url.pathname.startsWith("/")
  );
}

/** @param {unknown} value */
function urlOf(value) {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  return url && !url.username && !url.password && !url.href.includes("#") ? url : undefined;
}

/** @param {URL} url */
const isPublic = (url) => url.protocol === "https:" && !LOOPBACK_HOSTS.includes(url.hostname);

/** @param {URL} url */
const isLoopback = (url) => url.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname);

/**
 * @param {URL} url
 * @param {URL | undefined} home
 */
const isBelow = (url, home) =>
  home !== undefined &&
  (url.hostname === home.hostname || url.hostname.endsWith(`.${home.hostname}`));
