import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { OidcFlowError } from "../oauth/errors.js";
import { discoverIssuer, type IssuerEndpoints, issuerEndpoints } from "../oauth/metadata.js";
import { endsSession, type RefreshGrant, requestRefresh } from "../oauth/refresh.js";
import { revokeTokens } from "../oauth/revocation.js";
import { readScope } from "../oauth/scope.js";
import type { OAuthRecord } from "./record.js";
import type { RefreshedTokens, TokenGrant } from "./refresh.js";

/** Statuses of a token endpoint that has moved. */
const MOVED: readonly unknown[] = [404, 405, 410];

/** Refreshes and revokes the tokens of OAuth 2.0, and finds out where. */
export class OAuthGrant implements TokenGrant<OAuthRecord> {
  readonly #issuer: string;
  readonly #options: RequestOptions;
  /** The endpoint after whose failure the issuer was asked for its endpoints again. */
  #lookedUp: string | undefined;

  constructor(issuer: string, options: RequestOptions) {
    this.#issuer = issuer;
    this.#options = options;
  }

  /** @throws {OidcFlowError} as {@link requestRefresh} and {@link discoverIssuer} do. */
  refresh({
    oidcClientSettings,
    tokenResponse,
    scope,
    idTokenClaims,
    metadata,
  }: OAuthRecord): Promise<RefreshedTokens> {
    const grant = {
      clientId: oidcClientSettings.clientId,
      refreshToken: tokenResponse.refresh_token,
      deviceId: readScope(scope).deviceId,
      requireDeviceScope: true,
      idTokenClaims,
    };
    return this.send(grant, metadata);
  }

  endOf(error: unknown): "signed-out" | undefined {
    return endsSession(error) ? "signed-out" : undefined;
  }

  /** @throws {OidcFlowError} as {@link revokeTokens} and {@link discoverIssuer} do. */
  async revoke(
    { metadata, oidcClientSettings: { clientId }, tokenResponse }: OAuthRecord,
    options: RequestOptions,
  ): Promise<void> {
    const endpoints = metadata ?? (await this.#endpoints(options));
    await revokeTokens(endpoints, clientId, tokenResponse, options);
  }

  /**
   * Requests new tokens. If the endpoint that is known has moved or does not respond, the issuer's own
   * document is read once more; a new endpoint is used only on the origin of the known one, which has
   * received refresh tokens before.
   *
   * @param known The endpoints, as far as they are known; undefined: they are discovered.
   * @throws {OidcFlowError} as {@link requestRefresh} and {@link discoverIssuer} do.
   */
  async send(
    grant: Omit<RefreshGrant, "metadata">,
    known: IssuerEndpoints | undefined,
  ): Promise<RefreshedTokens> {
    const metadata = known ?? (await this.#endpoints());
    try {
      const tokens = await this.#request(grant, metadata);
      this.#lookedUp = undefined;
      return tokens;
    } catch (error) {
      const moved = known && (await this.#movedTo(known, error));
      if (!moved) throw error;
      return this.#request(grant, moved);
    }
  }

  /** What the issuer's own document says. */
  async #endpoints(options = this.#options): Promise<IssuerEndpoints> {
    return issuerEndpoints(await discoverIssuer(this.#issuer, options));
  }

  async #request(
    grant: Omit<RefreshGrant, "metadata">,
    metadata: IssuerEndpoints,
  ): Promise<RefreshedTokens> {
    return { tokenResponse: await requestRefresh({ ...grant, metadata }, this.#options), metadata };
  }

  async #movedTo(known: IssuerEndpoints, error: unknown): Promise<IssuerEndpoints | undefined> {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    const { code, httpStatus } = cause instanceof RequestError ? cause : {};
    const mayHaveMoved =
      code === "network_error" || code === "timeout" || MOVED.includes(httpStatus);
    if (!mayHaveMoved || this.#lookedUp === known.token_endpoint) return undefined;
    this.#lookedUp = known.token_endpoint;
    const found = await this.#endpoints().catch(() => known);
    const isElsewhere = found.token_endpoint !== known.token_endpoint;
    return isElsewhere && originOf(found) === originOf(known) ? found : undefined;
  }
}

const originOf = ({ token_endpoint }: IssuerEndpoints): string => new URL(token_endpoint).origin;
