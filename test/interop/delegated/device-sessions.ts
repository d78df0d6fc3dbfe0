import { deviceIdOf } from "../../../demo/server/authorization-server/matrix-scopes.js";
import type { OidcProvider, ProviderContext, ProviderToken } from "./provider-types.js";
import type { Provisioning } from "./provisioning.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;

/** A device that is signed in, by one grant. */
export interface DeviceSession {
  readonly localpart: string;
  readonly deviceId: string;
  readonly grantId: string;
  readonly clientName: string | undefined;
}

/** Who is signed in, as the provider knows it; Synapse is told of every change before anybody else. */
export class DeviceSessions {
  readonly #byGrant = new Map<string, DeviceSession>();
  readonly #provider: OidcProvider;
  readonly #accounts: Accounts;
  readonly #synapse: Provisioning;
  readonly #lastTokens = new Map<string, ProviderToken>();
  readonly #ending = new Set<Promise<void>>();

  constructor(provider: OidcProvider, accounts: Accounts, synapse: Provisioning) {
    this.#provider = provider;
    this.#accounts = accounts;
    this.#synapse = synapse;
    // The client gave its refresh token back, or one came twice.
    provider.on("grant.revoked", (_ctx, grantId) => {
      const ending = this.#forget(grantId).finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    });
    provider.use(async (ctx: ProviderContext, next) => {
      await next();
      const token = ctx.oidc?.entities.AccessToken;
      if (token && ctx.oidc?.route === "token") await this.#begin(token);
      await Promise.all(this.#ending);
    });
  }

  of(localpart: string): readonly DeviceSession[] {
    return [...this.#byGrant.values()].filter((session) => session.localpart === localpart);
  }

  /** Ends all that came of a sign-in. */
  async end({ grantId }: DeviceSession): Promise<void> {
    await this.#revoke(grantId);
    await this.#forget(grantId);
  }

  /** Takes the last access tokens of a user away, but no refresh token, as if they had been lost. */
  async loseAccessTokens(localpart: string): Promise<void> {
    const grants = this.of(localpart).map(({ grantId }) => grantId);
    await Promise.all(grants.map((grantId) => this.#lastTokens.get(grantId)?.destroy()));
  }

  async #begin(token: ProviderToken): Promise<void> {
    const { accountId, clientId, grantId, scope } = token;
    this.#lastTokens.set(grantId, token);
    const account = this.#accounts.find(accountId);
    const deviceId = deviceIdOf(scope);
    if (!account || !deviceId || this.#byGrant.has(grantId)) return;
    const { localpart, displayName } = account;
    const before = this.of(localpart).find((session) => session.deviceId === deviceId);
    // It is the same device that signs in again: Synapse keeps it.
    if (before) {
      this.#byGrant.delete(before.grantId);
      await this.#revoke(before.grantId);
    }
    const clientName = (await this.#provider.Client.find(clientId))?.clientName;
    this.#byGrant.set(grantId, { localpart, deviceId, grantId, clientName });
    await this.#synapse.user(localpart, displayName);
    await this.#synapse.device(localpart, deviceId, clientName);
  }

  async #revoke(grantId: string): Promise<void> {
    const { AccessToken, RefreshToken, Grant } = this.#provider;
    await Promise.all([
      AccessToken.revokeByGrantId(grantId),
      RefreshToken.revokeByGrantId(grantId),
      Grant.find(grantId).then((grant) => grant?.destroy()),
    ]);
  }

  async #forget(grantId: string): Promise<void> {
    const session = this.#byGrant.get(grantId);
    this.#byGrant.delete(grantId);
    this.#lastTokens.delete(grantId);
    if (session) await this.#synapse.deleteDevice(session.localpart, session.deviceId);
  }
}
