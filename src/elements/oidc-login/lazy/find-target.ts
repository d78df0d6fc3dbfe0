import { fetchAuthMetadata } from "../../../core/matrix/auth-metadata.js";
import { type DiscoveredHomeserver, discoverHomeserver } from "../../../core/matrix/discovery.js";
import type { RequestOptions } from "../../../core/index.js";
import { OidcFlowError } from "../../../core/oauth/errors.js";
import { discoverIssuer } from "../../../core/oauth/metadata.js";
import type { LoginTarget } from "../login-host.js";
import type { LoginSettings } from "./login-settings.js";

/** A tab may be open for days: a target that was found longer ago is looked up again before a login. */
const TARGET_LIFETIME_MS = 60 * 60_000;

/** Whether a target has to be looked up again; also if the clock was set back since. */
export const isStale = (target: LoginTarget | undefined): boolean =>
  !target || Math.abs(Date.now() - target.foundAt) > TARGET_LIFETIME_MS;

type Place = Pick<LoginSettings, "homeserver" | "issuer">;

/** The search for one place, for as long as an element of the page wants its result. */
class Search {
  readonly target: Promise<LoginTarget>;
  readonly #abort = new AbortController();
  readonly #end: () => void;
  #users = 0;
  #found: LoginTarget | undefined;

  constructor(place: Place, end: () => void) {
    this.#end = end;
    this.target = findTarget(place, { signal: this.#abort.signal });
    this.target.then((found) => (this.#found = found), end);
  }

  /** Whether it is still running, or what it found is recent, and news to who knows `known`. */
  isUsable(known: LoginTarget | undefined): boolean {
    return !this.#found || (this.#found !== known && !isStale(this.#found));
  }

  addUser(signal: AbortSignal): void {
    this.#users += 1;
    signal.addEventListener("abort", () => {
      this.#users -= 1;
      if (this.#users > 0) return;
      this.#abort.abort();
      this.#end();
    });
  }
}

const searches = new Map<string, Search>();

/**
 * Finds out where to sign in, once for all elements of the page that want to know the same.
 *
 * @param signal Aborted when the caller wants it no longer, whether it was found or not.
 * @param known What the caller has found before, and looks up again because the login there failed.
 * @throws {OidcFlowError} what {@link findTarget} throws.
 */
export function shareTarget(
  place: Place,
  signal: AbortSignal,
  known?: LoginTarget,
): Promise<LoginTarget> {
  const key = JSON.stringify([place.homeserver, place.issuer]);
  let search = searches.get(key);
  if (!search?.isUsable(known)) {
    search = new Search(place, () => {
      if (searches.get(key) === search) searches.delete(key);
    });
    searches.set(key, search);
  }
  search.addUser(signal);
  return search.target;
}

/**
 * Finds out where to sign in, in two sequential requests: for the homeserver's well-known file and for its
 * metadata. If `issuer` is given, its own document is fetched instead of the latter.
 *
 * @throws {OidcFlowError} `InsecureContext`, before any request; whatever the discovery throws.
 */
async function findTarget(
  { homeserver, issuer }: Place,
  options: RequestOptions,
): Promise<LoginTarget> {
  if ((globalThis as Partial<typeof globalThis>).isSecureContext === false) {
    throw new OidcFlowError("A secure context is required to log in", "insecure_context");
  }
  const [found, own] = await Promise.all([
    homeserver === undefined ? undefined : discoverHomeserver(homeserver, options),
    issuer === undefined ? undefined : discoverIssuer(issuer, options),
  ]);
  const {
    baseUrl = "",
    identityServerUrl,
    issuer: named,
  }: Partial<DiscoveredHomeserver> = found ?? {};
  const metadata = own ?? (await fetchAuthMetadata(baseUrl, { ...options, issuer: named }));
  return {
    foundAt: Date.now(),
    metadata,
    homeserverUrl: baseUrl,
    ...(identityServerUrl !== undefined && { identityServerUrl }),
  };
}
