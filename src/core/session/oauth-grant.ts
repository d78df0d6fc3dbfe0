import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { forgetClient } from "../oauth/dropped-client.js";
import { OidcFlowError } from "../oauth/flow-error.js";
import { discoverIssuer, issuerEndpoints, type IssuerEndpoints } from "../oauth/metadata.js";
import { endsSession, mayEndSession, refusalReason } from "../oauth/refusal.js";
import { type RefreshGrant, requestRefresh } from "../oauth/refresh.js";
import { revokeTokens } from "../oauth/revocation.js";
import { readScope } from "../oauth/scope.js";
import type { GrantedTokens, OAuthRecord, TokenGrant } from "./record.js";

export class OAuthGrant implements TokenGrant<OAuthRecord> {
  readonly #issuer: string;
  /** The failed endpoints for which the issuer's document was last read. */
  readonly #lookedUp = new Map<Endpoint, string>();

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  refresh(record: OAuthRecord, options: RequestOptions): Promise<GrantedTokens> {
    const { oidcClientSettings, tokenResponse, scope, idTokenClaims, metadata, deviceId } = record;
    const grant = {
      clientId: oidcClientSettings.clientId,
      refreshToken: tokenResponse.refresh_token,
      deviceId,
      // The homeserver might have chosen the device.
      requireDeviceScope: readScope(scope).deviceId !== undefined,
      idTokenClaims,
    };
    return this.send(grant, metadata, options);
  }

  endOf(error: unknown): "signed-out" | undefined {
    return endsSession(error) ? "signed-out" : undefined;
  }

  mayEnd(error: unknown): boolean {
    return mayEndSession(error);
  }

  async revoke(record: OAuthRecord, options: RequestOptions): Promise<void> {
    const { clientId } = record.oidcClientSettings;
    const revoke = (endpoints: IssuerEndpoints) =>
      revokeTokens(endpoints, clientId, record.tokenResponse, options);
    await this.#at("revocation_endpoint", { clientId, known: record.metadata }, options, revoke);
  }

  /** @throws {OidcFlowError} as {@link requestRefresh} and {@link discoverIssuer} do. */
  async send(
    grant: Omit<RefreshGrant, "metadata">,
    known: IssuerEndpoints | undefined,
    options: RequestOptions,
  ): Promise<GrantedTokens> {
    const refresh = async (metadata: IssuerEndpoints) => {
      const tokenResponse = await requestRefresh({ ...grant, metadata }, options);
      this.#lookedUp.delete("token_endpoint");
      return { tokenResponse, metadata };
    };
    return this.#at("token_endpoint", { clientId: grant.clientId, known }, options, refresh);
  }

  /**
   * Sends a request to an endpoint. If the response isn't the provider's, the endpoint may have moved,
   * so the issuer's document is read again. A new endpoint is used only on the origin of the known
   * one, which has received refresh tokens before. If the provider has deleted the client, the next
   * sign-in must not use it.
   */
  async #at<T>(
    endpoint: Endpoint,
    { clientId, known }: { readonly clientId: string; readonly known: IssuerEndpoints | undefined },
    options: RequestOptions,
    request: (metadata: IssuerEndpoints) => Promise<T>,
  ): Promise<T> {
    const metadata = known ?? (await this.#discoverEndpoints(options));
    try {
      return await request(metadata);
    } catch (error) {
      if (refusalReason(error) === "invalid_client") forgetClient(clientId, this.#issuer);
      const moved = known && (await this.#movedTo(endpoint, known, error, options));
      if (!moved) throw error;
      return request(moved);
    }
  }

  async #discoverEndpoints(options: RequestOptions): Promise<IssuerEndpoints> {
    return issuerEndpoints(await discoverIssuer(this.#issuer, options));
  }

  async #movedTo(
    endpoint: Endpoint,
    known: IssuerEndpoints,
    error: unknown,
    options: RequestOptions,
  ) {
    const { cause, httpStatus = 0 } = error instanceof OidcFlowError ? error : {};
    const { code = "" } = cause instanceof RequestError ? cause : {};
    const mayHaveMoved = MOVED_CODES.includes(code) || MOVED_STATUSES.includes(httpStatus);
    if (!mayHaveMoved || this.#lookedUp.get(endpoint) === known[endpoint]) return undefined;
    this.#lookedUp.set(endpoint, known[endpoint]);
    const found = await this.#discoverEndpoints(options).catch(() => known);
    const isElsewhere = found[endpoint] !== known[endpoint];
    return isElsewhere && originOf(found[endpoint]) === originOf(known[endpoint])
      ? found
      : undefined;
  }
}

type Endpoint = "token_endpoint" | "revocation_endpoint";

/**
 * A page can't read the status of a redirect, and a missing response has no status. Some servers
 * return a page for every path.
 */
const MOVED_CODES: readonly string[] = [
  "network_error",
  "timeout",
  "unexpected_redirect",
  "unexpected_status",
  "response_not_json",
];

/** Some servers return JSON with an error for every path. */
const MOVED_STATUSES: readonly number[] = [404, 405, 410];

const originOf = (url: string): string => new URL(url).origin;
