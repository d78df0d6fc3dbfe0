import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { textIn } from "../http/json.js";
import { mayPointTo } from "../http/this-machine.js";
import { parseTrustworthyUrl, parseUrl, withoutTrailingSlashes } from "../http/url.js";
import { flowError, wasAborted } from "./errors.js";
import { OidcFlowError } from "./flow-error.js";
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
   * The homeserver's copy of the metadata. It may be false, but it is sufficient to show the
   * provider's name and to register with it.
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

/** Starts to confirm a provider, so that trusted metadata is available when it is needed. */
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

/**
 * No server's JSON can contain this key. It is shared, because each bundle on a page has its own
 * copy of this module.
 */
const CONFIRMED = Symbol.for("matrix-auth-elements/confirmed");

/**
 * Whether this library has confirmed the metadata: clients of other libraries return the
 * homeserver's copy.
 */
export const isConfirmed = (metadata: object): boolean => Object.hasOwn(metadata, CONFIRMED);

/** @param metadata Confirmed metadata, or a copy with additional members of this library. */
export const noteConfirmed = <Metadata extends object>(metadata: Metadata): Metadata =>
  Object.defineProperty(metadata, CONFIRMED, { value: true });

/**
 * The only source of trusted metadata. A homeserver could name another provider's issuer, but with
 * endpoints that change what the user sees or agrees to: another path, a query, other keys.
 * Therefore the issuer's own document is read. It must contain every URL that the homeserver names,
 * including the query. The result is the issuer's document, so that the homeserver doesn't decide
 * how responses are checked.
 *
 * If that document can't be read, only URLs below the issuer's URL are accepted, without parameters
 * of OAuth 2.0 or OpenID Connect, or on an origin that the caller has allowed. A hostile homeserver
 * can't prevent the page from reading an honest issuer's document. But it could name as the issuer
 * a folder that contains the endpoints and has no document.
 *
 * @param document The issuer's document, if it was requested before.
 * @throws {OidcFlowError} `OpSupport`: `issuer_unconfirmed`, and the errors of a faulty document;
 *   `General`: the reason that the document can't be read.
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.3
 */
export async function confirmIssuer(
  named: ValidatedAuthMetadata,
  homeserverUrl: string,
  options: DiscoveryOptions = {},
  document?: Promise<ValidatedAuthMetadata>,
): Promise<ValidatedAuthMetadata> {
  refuseLoopback(homeserverUrl, named.issuer);
  let own: ValidatedAuthMetadata;
  try {
    own = await (document ?? readDocument(named.issuer, options));
  } catch (error) {
    const isUnreadable = error instanceof OidcFlowError && error.cause instanceof RequestError;
    const isBelieved = URL_MEMBERS.every((member) => liesUnder(named, named[member], options));
    if (!isUnreadable || wasAborted(error) || !isBelieved) throw error;
    return noteConfirmed({ ...named });
  }
  const trusted = complete(own, named);
  // The two issuers can differ only in a slash at the end. Responses and ID tokens contain the
  // issuer's own spelling.
  const compared: ValidatedAuthMetadata = { ...trusted, issuer: named.issuer };
  const differing = URL_MEMBERS.filter(
    (member) => named[member] !== undefined && !isSameUrl(named[member], compared[member]),
  );
  if (differing.length > 0) {
    const reason = `The issuer's document differs in: ${differing.join(", ")}`;
    throw flowError(
      "Configured OIDC OP does not support required functions",
      "issuer_unconfirmed",
      reason,
    );
  }
  return noteConfirmed(trusted);
}

/** Their spelling can differ: they may contain the default port, or capitals in the host. */
const isSameUrl = (one: unknown, other: unknown): boolean =>
  parseUrl(one)?.href === parseUrl(other)?.href;

/**
 * The issuer's document. If the provider was not made for Matrix, the homeserver can add the
 * refresh grant, and an account page on the issuer's origin without a query.
 */
function complete(own: ValidatedAuthMetadata, named: ValidatedAuthMetadata): ValidatedAuthMetadata {
  const { account_management_uri: page } = named;
  const url = parseUrl(page);
  const isOwnPage = url?.search === "" && liesUnder(own, page, {});
  const actions = named.account_management_actions_supported;
  const grants = [own, named].flatMap(({ grant_types_supported = [] }) => grant_types_supported);
  return {
    ...(isOwnPage && { account_management_uri: page }),
    ...(actions && { account_management_actions_supported: actions }),
    ...own,
    ...(grants.length > 0 && { grant_types_supported: [...new Set(grants)] }),
  };
}

/**
 * A public homeserver must not send users or tokens to a server on their machine. The same applies to a
 * public issuer: see `validateAuthMetadata()`.
 */
export function refuseLoopback(homeserverUrl: string, issuer: string): void {
  if (mayPointTo(homeserverUrl, issuer)) return;
  const reason = "A public homeserver must not use a loopback address";
  throw flowError(
    "Configured OIDC OP does not support required functions",
    "metadata_invalid",
    reason,
  );
}

/** A redirect is not followed: the target's document would belong to another issuer. */
export const readDocument = (
  issuer: string,
  options?: DiscoveryOptions,
): Promise<ValidatedAuthMetadata> => discoverIssuer(issuer, options, "manual");

/**
 * Characters with which some servers leave a path: dots and slashes that are encoded once or more,
 * and `..;`.
 */
const EVASIVE_PATH = /%(25)*(2e|2f|3b|5c)|;/i;

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
