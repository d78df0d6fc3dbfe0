import { RequestError } from "../http/errors.js";
import type { RequestOptions } from "../http/fetch.js";
import { OidcFlowError } from "../oauth/errors.js";
import { discoverIssuer, issuerEndpoints, type IssuerEndpoints } from "../oauth/metadata.js";
import { endsSession, type RefreshGrant, requestRefresh } from "../oauth/refresh.js";
import { revokeTokens } from "../oauth/revocation.js";
import { readScope } from "../oauth/scope.js";
import type { GrantedTokens, OAuthRecord, TokenGrant } from "./record.js";

export class OAuthGrant implements TokenGrant<OAuthRecord> {
  readonly #issuer: string;
  /** The failed token endpoint that the issuer's document was last read for. */
  #lookedUp: string | undefined;

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

  async revoke(record: OAuthRecord, options: RequestOptions): Promise<void> {
    const { clientId } = record.oidcClientSettings;
    const endpoints = record.metadata ?? (await this.#discoverEndpoints(options));
    await revokeTokens(endpoints, clientId, record.tokenResponse, options);
  }

  /**
   * If the known endpoint has moved or does not respond, the issuer's document is read again. A new
   * endpoint is used only on the origin of the known one, which has received refresh tokens before.
   *
   * @throws {OidcFlowError} as {@link requestRefresh} and {@link discoverIssuer} do.
   */
  async send(
    grant: Omit<RefreshGrant, "metadata">,
    known: IssuerEndpoints | undefined,
    options: RequestOptions,
  ): Promise<GrantedTokens> {
    const request = async (metadata: IssuerEndpoints) => {
      return { tokenResponse: await requestRefresh({ ...grant, metadata }, options), metadata };
    };
    const metadata = known ?? (await this.#discoverEndpoints(options));
    try {
      const tokens = await request(metadata);
      this.#lookedUp = undefined;
      return tokens;
    } catch (error) {
      const moved = known && (await this.#movedTo(known, error, options));
      if (!moved) throw error;
      return request(moved);
    }
  }

  async #discoverEndpoints(options: RequestOptions): Promise<IssuerEndpoints> {
    return issuerEndpoints(await discoverIssuer(this.#issuer, options));
  }

  async #movedTo(known: IssuerEndpoints, error: unknown, options: RequestOptions) {
    const cause = error instanceof OidcFlowError ? error.cause : undefined;
    const { code, httpStatus } = cause instanceof RequestError ? cause : {};
    const mayHaveMoved =
      code === "network_error" || code === "timeout" || [404, 405, 410].includes(httpStatus ?? 0);
    if (!mayHaveMoved || this.#lookedUp === known.token_endpoint) return undefined;
    this.#lookedUp = known.token_endpoint;
    const found = await this.#discoverEndpoints(options).catch(() => known);
    const isElsewhere = found.token_endpoint !== known.token_endpoint;
    return isElsewhere && originOf(found) === originOf(known) ? found : undefined;
  }
}

const originOf = ({ token_endpoint }: IssuerEndpoints): string => new URL(token_endpoint).origin;
