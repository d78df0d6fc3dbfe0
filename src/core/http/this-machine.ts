import { AMBIGUOUS, isLoopbackHost, parseTrustworthyUrl, parseUrl } from "./url.js";

/** The names of this machine in the hosts files of common systems. */
const OWN_NAMES = /^(localhost[46]?\.localdomain[46]?|localhost[46]|ip6-(localhost|loopback))\.?$/;

/**
 * `0.0.0.0`, and the IPv6 forms of `0.0.0.0` and `127.0.0.1`: mapped, translated, compatible, or
 * with the NAT64 prefix.
 */
const OWN_ADDRESSES =
  /^(0\.\d+\.\d+\.\d+|\[(::(ffff:(0:)?)?|64:ff9b::)((7f[\da-f]{2}|0):[\da-f]{1,4})?\])$/;

/**
 * Whether a connection to this host reaches this machine. The host must be that of a parsed URL,
 * which contains no decimal or short addresses. A public name that resolves to this machine looks
 * like any other.
 */
const isThisMachine = (hostname = ""): boolean =>
  isLoopbackHost(hostname) || OWN_NAMES.test(hostname) || OWN_ADDRESSES.test(hostname);

/** Only a page or a server on this machine may point to this machine. */
export function mayPointTo(from: string, to: string): boolean {
  const page = (globalThis as { location?: { hostname: string } }).location?.hostname;
  const isHere = [page, parseUrl(from)?.hostname].some(isThisMachine);
  return isHere || !isThisMachine(parseUrl(to)?.hostname);
}

/** A URL that a server names, for requests, links, and windows. */
export function urlNamedBy(server: string, value: unknown): URL | undefined {
  const url = parseTrustworthyUrl(value);
  return url && mayPointTo(server, url.href) ? url : undefined;
}

/** The target of a redirect, which may be relative. @returns Undefined if it must not be followed. */
export function redirectTarget(location: string, from: string): string | undefined {
  if (AMBIGUOUS.test(location) || !URL.canParse(location, from)) return undefined;
  return urlNamedBy(from, new URL(location, from).href)?.href;
}
