import { isTransientStatus } from "../http/failures.js";
import type { RequestOptions } from "../http/fetch.js";
import { isJsonObject, isText, type JsonObject, presentMembers } from "../http/json.js";
import { isDeviceId, isServerName } from "../shared/identifiers.js";
import { isRefusal } from "./error.js";
import { requestMatrix } from "./request.js";

/** See `HomeserverClient.getLoginFlows()`. */
export async function fetchLoginFlows(
  homeserverUrl: string,
  options?: RequestOptions,
): Promise<LoginFlows> {
  try {
    return parseLoginFlows(await requestMatrix(homeserverUrl, "v3/login", {}, options));
  } catch (error) {
    if (!isRefusal(error, "M_UNRECOGNIZED") || isTransientStatus(error.httpStatus)) throw error;
    return parseLoginFlows({});
  }
}

/** One of a homeserver's identity providers, for single sign-on. */
export interface IdentityProvider {
  readonly id: string;
  /** Plain text of at most 100 characters, never markup. */
  readonly name: string;
  /** The brand whose logo to show, such as `github`. */
  readonly brand?: string;
  /** An `mxc:` URI, which only a signed-in client can fetch. */
  readonly icon?: string;
}

/** The sign-in methods of a homeserver's legacy API. */
export interface LoginFlows {
  /** All types that the homeserver lists. */
  readonly types: readonly string[];
  readonly password: boolean;
  readonly sso: boolean;
  readonly token: boolean;
  /** Whether clients that support OAuth 2.0 should use only OAuth 2.0. */
  readonly oauthAwarePreferred: boolean;
  /** At most 100. */
  readonly identityProviders: readonly IdentityProvider[];
}

const MAX_PROVIDERS = 100;
/** A longer name would hide the other sign-in methods. */
const MAX_NAME_LENGTH = 100;

const OAUTH_AWARE_MEMBERS = [
  "oauth_aware_preferred",
  "delegated_oidc_compatibility",
  "org.matrix.msc3824.delegated_oidc_compatibility",
];

/** Reads the response to `GET /login`, and omits everything that the specification doesn't define. */
export function parseLoginFlows(body: unknown): LoginFlows {
  const flows = listIn(presentMembers(body)["flows"]).filter(isFlow);
  const types = [...new Set(flows.map(({ type }) => type))];
  const sso = flows.filter(({ type }) => type === "m.login.sso");
  const providers = sso.flatMap((flow) => listIn(flow["identity_providers"]));
  return {
    types,
    password: types.includes("m.login.password"),
    sso: sso.length > 0,
    token: types.includes("m.login.token"),
    oauthAwarePreferred: sso.some((flow) =>
      OAUTH_AWARE_MEMBERS.some((name) => flow[name] === true),
    ),
    identityProviders: providers.flatMap(parseProvider).slice(0, MAX_PROVIDERS),
  };
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isFlow = (flow: unknown): flow is JsonObject & { readonly type: string } =>
  isJsonObject(flow) && isText(flow["type"]);

function parseProvider(provider: unknown): readonly IdentityProvider[] {
  if (!isJsonObject(provider)) return [];
  const { id, name, brand, icon } = provider;
  // Without a name, users see the ID. So it has the limits of a device ID.
  if (!isDeviceId(id) || !isText(name)) return [];
  const logo = isText(icon) && isMediaUri(icon) && { icon };
  // The limit is in code points, so that no character is cut.
  const shown = Array.from(name.slice(0, 2 * MAX_NAME_LENGTH))
    .slice(0, MAX_NAME_LENGTH)
    .join("");
  return [{ id, name: shown, ...(isText(brand) && { brand }), ...logo }];
}

/** @see https://spec.matrix.org/v1.19/client-server-api/#matrix-content-mxc-uris */
function isMediaUri(uri: string): boolean {
  const [, serverName] = /^mxc:\/\/([^/]+)\/[\w-]+$/.exec(uri) ?? [];
  return isServerName(serverName);
}
