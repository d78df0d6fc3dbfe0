// This is a private path of the package. Check it when oidc-provider is upgraded.
// @ts-expect-error The package has no types.
import { createMemoryAdapter } from "oidc-provider/lib/adapters/memory_adapter.js";

interface Payload {
  readonly grantId: string;
}

/** The part of the provider's adapters that matters here. */
interface Adapter {
  consume(id: string): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  upsert(id: string, payload: Payload, expiresIn?: number): Promise<void>;
}

/** A used refresh token, and the access tokens that replaced its access token. */
interface Used {
  readonly id: string;
  readonly accessTokens: Set<string>;
}

/**
 * A store in memory that accepts a refresh token until a token that replaced it is used, so that a client
 * can retry if the response was lost. Matrix requires this. By default, the provider revokes everything
 * when a refresh token is used twice.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#token-refresh-flow
 */
export function createRefreshGraceAdapter(): (model: string) => Adapter {
  const create = createMemoryAdapter() as (model: string) => Adapter;
  const lastUsed = new Map<string, Used>();
  return (model) => {
    const adapter = create(model);
    const consume = adapter.consume.bind(adapter);
    const find = adapter.find.bind(adapter);
    const upsert = adapter.upsert.bind(adapter);
    if (model === "RefreshToken") {
      adapter.consume = async (id) => {
        const { grantId } = (await find(id)) as Payload;
        const last = lastUsed.get(grantId);
        if (last?.id === id) return;
        if (last) await consume(last.id);
        lastUsed.set(grantId, { id, accessTokens: new Set() });
      };
    }
    if (model === "AccessToken") {
      adapter.upsert = async (id, payload, expiresIn) => {
        lastUsed.get(payload.grantId)?.accessTokens.add(id);
        await upsert(id, payload, expiresIn);
      };
      adapter.find = async (id) => {
        const payload = await find(id);
        const last = payload && lastUsed.get(payload.grantId);
        if (last?.accessTokens.has(id)) {
          await (create("RefreshToken") as Adapter).consume(last.id);
          lastUsed.delete(payload?.grantId ?? "");
        }
        return payload;
      };
    }
    return adapter;
  };
}
