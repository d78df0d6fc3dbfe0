import type { RequestOptions } from "../../../core/index.js";
import { findProvider, type ProviderPlace } from "../../../core/matrix/provider.js";
import { lazyPart, type Load } from "../../../ui/lazy.js";
import { Turn } from "../../../ui/element.js";
import type * as PopupPart from "./popup-login.js";
import type { LoginTarget } from "./settings.js";

/** A tab can be open for days, so an older target is looked up again before a sign-in. */
const TARGET_LIFETIME_MS = 60 * 60_000;

/** Whether a target must be looked up again; also if the clock was set back since. */
export const isStale = (target: LoginTarget | undefined): boolean =>
  !target || Math.abs(Date.now() - target.foundAt) > TARGET_LIFETIME_MS;

interface Search {
  readonly target: Promise<LoginTarget>;
  readonly end: () => void;
  found?: LoginTarget;
  users: number;
}

/** The discoveries that are running, or whose result an element of the page uses. */
const searches = new Map<string, Search>();

/**
 * Discovers the provider, once for all elements of the page with the same settings.
 *
 * @param signal Aborted when the caller no longer needs the result.
 * @param known The caller's previous result, after a failed sign-in with it.
 * @throws {OidcFlowError} as {@link findProvider} does.
 */
export function shareTarget(
  place: ProviderPlace,
  signal: AbortSignal,
  known?: LoginTarget,
): Promise<LoginTarget> {
  const key = JSON.stringify([place.homeserver, place.issuer]);
  const running = searches.get(key);
  const found = running?.found;
  const isOld = found && (found === known || isStale(found));
  const search = running && !isOld ? running : startSearch(key, place);
  search.users += 1;
  signal.addEventListener("abort", () => {
    search.users -= 1;
    if (search.users === 0) search.end();
  });
  return search.target;
}

function startSearch(key: string, place: ProviderPlace): Search {
  const turn = new Turn();
  const target = findTarget(place, { signal: turn.signal });
  const end = (): void => {
    turn.abort();
    if (searches.get(key) === search) searches.delete(key);
  };
  const search: Search = { target, end, users: 0 };
  searches.set(key, search);
  target.then((found) => (search.found = found), end);
  return search;
}

async function findTarget(place: ProviderPlace, options: RequestOptions): Promise<LoginTarget> {
  const { provider, ...found } = await findProvider(place, options);
  return { ...found, provider: await provider, foundAt: Date.now() };
}

let loaded: typeof PopupPart | undefined;

/** Undefined before it is loaded. Browsers block a popup that opens too long after a click. */
export const loadedPopup = (): typeof PopupPart | undefined => loaded;

export const loadPopup: Load<typeof PopupPart> = /* @__PURE__ */ lazyPart(
  async () => (loaded = await import("./popup-login.js")),
);
