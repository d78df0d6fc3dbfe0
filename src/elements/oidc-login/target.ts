import { toJson } from "../../core/http/json.js";
import type { RequestOptions } from "../../core/index.js";
import { findProvider, type ProviderPlace } from "../../core/matrix/provider.js";
import { lazyPart, type Load } from "../../ui/loading.js";
import type * as AuthorizationPart from "./authorization.js";
import type * as PopupPart from "./popup-login.js";
import type { LoginTarget } from "./settings.js";

/**
 * A tab can be open for days, so a target that is older than this is looked up again before a
 * sign-in.
 */
const TARGET_LIFETIME_MS = 60 * 60_000;

/**
 * Whether a target must be looked up again. Also true if the clock was set back in the meantime.
 */
export const isStale = (target: LoginTarget | undefined): boolean =>
  !target || Math.abs(Date.now() - target.foundAt) > TARGET_LIFETIME_MS;

export interface SharedTarget {
  readonly target: Promise<LoginTarget>;
  /** Call it once this element no longer needs the target. The last call ends the discovery. */
  readonly close: () => void;
}

/** A discovery that the page's elements share, and its result. */
interface Search extends SharedTarget {
  found?: LoginTarget;
  users: number;
}

/** The discoveries that are running, and those whose result an element uses. */
const searches = new Map<string, Search>();

/**
 * Discovers the provider, once for all elements of the page with the same settings. `target` rejects as
 * {@link findProvider} does.
 *
 * @param known The caller's previous result, after a failed sign-in with it.
 */
export function shareTarget(place: Place, known?: LoginTarget): SharedTarget {
  const key = toJson([place.homeserver, place.issuer]);
  const running = searches.get(key);
  const found = running?.found;
  const isOld = found && (found === known || isStale(found));
  const search = running && !isOld ? running : startSearch(key, place);
  search.users += 1;
  return search;
}

type Place = ProviderPlace & Pick<RequestOptions, "timeoutMs">;

function startSearch(key: string, { timeoutMs, ...place }: Place): Search {
  const controller = new AbortController();
  const target = findTarget(place, { signal: controller.signal, timeoutMs });
  const end = (): void => {
    controller.abort();
    if (searches.get(key) === search) searches.delete(key);
  };
  const close = (): void => {
    search.users -= 1;
    if (search.users === 0) end();
  };
  const search: Search = { target, close, users: 0 };
  searches.set(key, search);
  target.then((found) => (search.found = found), end);
  return search;
}

async function findTarget(place: ProviderPlace, options: RequestOptions): Promise<LoginTarget> {
  const { provider, ...found } = await findProvider(place, options);
  return { ...found, provider: await provider, foundAt: Date.now() };
}

/** Loaded when the user is about to click, because not every visitor of a sign-in page does so. */
export const loadAuthorization: Load<typeof AuthorizationPart> = /* @__PURE__ */ lazyPart(
  () => import("./authorization.js"),
);

/** Loaded early, because browsers block a popup that opens too long after a click. */
export const loadPopup: Load<typeof PopupPart> = /* @__PURE__ */ lazyPart(
  () => import("./popup-login.js"),
);
