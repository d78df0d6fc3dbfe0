import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { textIn } from "../http/json.js";
import { parseTrustworthyUrl, withoutTrailingSlashes } from "../http/url.js";
import { flowError, OidcError, OidcFlowError, wasAborted } from "./errors.js";
import {
  discoverIssuer,
  type DiscoveryOptions,
  URL_MEMBERS,
  type ValidatedAuthMetadata,
} from "./metadata.js";
import { hasProtocolParameter } from "./protocol-parameters.js";

/** A provider that a homeserver names. */
export interface NamedProvider {
  /**
   * The homeserver's words, which may be false: enough to show the provider's name, and to register
   * with it.
   */
  readonly named: ValidatedAuthMetadata;
  /**
   * The trusted metadata, for everything else. Calls share one request; after a failure, the next call
   * sends another.
   *
   * @throws {OidcFlowError} as {@link confirmIssuer} does.
   */
  readonly confirm: Confirm;
}

type Confirm = (options?: RequestOptions) => Promise<ValidatedAuthMetadata>;

/** A provider whose own document was read. */
export const trustedProvider = (metadata: ValidatedAuthMetadata): NamedProvider => ({
  named: metadata,
  confirm: () => Promise.resolve(metadata),
});

/** Starts to confirm a provider, so that it is trusted by the time that it is needed. */
export function namedProvider(
  named: ValidatedAuthMetadata,
  confirm: Confirm,
  options?: RequestOptions,
): NamedProvider {
  let shared: ReturnType<Confirm> | undefined;
  const start = (own?: RequestOptions): ReturnType<Confirm> => {
    const started = (shared = confirm(own));
    started.catch(() => {
      if (shared === started) shared = undefined;
    });
    return started;
  };
  void start(options);
  return {
    named,
    confirm: async (own) => {
      try {
        return await (shared ?? start(own));
      } catch (error) {
        // The call that started the request no longer needs it, but this one does.
        if (wasAborted(error) && !own?.signal?.aborted) return start(own);
        throw error;
      }
    },
  };
}

/** No server's JSON can contain it. Each bundle on a page has its own copy of this module. */
const CONFIRMED = Symbol.for("matrix-auth-elements/confirmed");

/** Whether this library has confirmed it: clients of others return what the homeserver says. */
export const isConfirmed = (metadata: object): boolean => Object.hasOwn(metadata, CONFIRMED);

/** @param metadata Confirmed metadata, or a copy with members of the library's own. */
export const noteConfirmed = <Metadata extends object>(metadata: Metadata): Metadata =>
  Object.defineProperty(metadata, CONFIRMED, { value: true });

/**
 * The one source of trusted metadata. A homeserver could name another provider's issuer, with endpoints
 * that change what the user sees or agrees to there: another path, a query, other keys. So the issuer's
 * own document is read. Every URL that the homeserver names must be the same there, query included, and
 * the result is the issuer's document: the homeserver does not decide how responses are checked.
 *
 * If that document can't be read, only what lies under the issuer's URL is believed, without parameters
 * of OAuth 2.0 or OpenID Connect, or on an origin that the caller has allowed. A hostile homeserver
 * can't hide an honest issuer's document, and a wrong path of its host has no endpoints under it.
 *
 * @param document The issuer's document, if it was requested before.
 * @throws {OidcFlowError} `OpSupport`: `issuer_unconfirmed`, and the errors of a faulty document;
 *   `General`: the reason that the document can't be read.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function confirmIssuer(
  named: ValidatedAuthMetadata,
  options: DiscoveryOptions = {},
  document = readDocument(named.issuer, options),
): Promise<ValidatedAuthMetadata> {
  let own: ValidatedAuthMetadata;
  try {
    own = await document;
  } catch (error) {
    const isUnreadable = error instanceof OidcFlowError && error.cause instanceof RequestError;
    const isBelieved = URL_MEMBERS.every((member) => liesUnder(named, named[member], options));
    if (!isUnreadable || wasAborted(error) || !isBelieved) throw error;
    return noteConfirmed({ ...named });
  }
  const differing = URL_MEMBERS.filter(
    (member) => member !== "issuer" && (named[member] ?? own[member]) !== own[member],
  );
  if (differing.length > 0) {
    const reason = `The issuer's document differs in: ${differing.join(", ")}`;
    throw flowError(OidcError.OpSupport, "issuer_unconfirmed", reason);
  }
  // Only Matrix has the actions, so a homeserver may know them for a provider that does not. Its
  // issuer can differ only in a slash at the end.
  const { account_management_actions_supported: actions } = { ...named, ...own };
  return noteConfirmed({
    ...own,
    issuer: named.issuer,
    ...(actions && { account_management_actions_supported: actions }),
  });
}

/** A redirect is not followed: the document of its target would be another one's. */
export const readDocument = (
  issuer: string,
  options?: DiscoveryOptions,
): Promise<ValidatedAuthMetadata> => discoverIssuer(issuer, options, "manual");

/** Characters by which some servers leave a path: encoded dots and slashes, `..;`. */
const EVASIVE_PATH = /%(2e|2f|3b|5c)|;/i;

function liesUnder(
  { issuer }: ValidatedAuthMetadata,
  endpoint: unknown,
  { allowedOrigins }: DiscoveryOptions,
): boolean {
  const given = textIn(endpoint);
  if (given === undefined || given === issuer) return true;
  const url = parseTrustworthyUrl(given);
  const base = parseTrustworthyUrl(issuer);
  if (!url || !base || hasProtocolParameter(url)) return false;
  if (allowedOrigins?.includes(url.origin)) return true;
  const isBelow = url.pathname.startsWith(`${withoutTrailingSlashes(base.pathname)}/`);
  return url.origin === base.origin && isBelow && !EVASIVE_PATH.test(url.pathname);
}
