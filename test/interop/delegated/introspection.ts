import { bodyParser } from "@koa/bodyparser";
import type Router from "@koa/router";
import type { OidcProvider } from "./provider-types.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;

/**
 * Adds the endpoint for token introspection (RFC 7662). Synapse requests it at this path of its
 * `matrix_authentication_service.endpoint`, and uses `username` as the localpart.
 *
 * @param secret Requests without it are rejected.
 */
export function addIntrospection(
  router: Router,
  { provider, accounts, secret }: { provider: OidcProvider; accounts: Accounts; secret: string },
): void {
  router.post("/oauth2/introspect", bodyParser(), async (ctx) => {
    // Otherwise Synapse can reuse an idle connection at the moment when Node closes it. Synapse does not
    // retry then, but responds with 503.
    ctx.set("Connection", "close");
    if (ctx.get("Authorization") !== `Bearer ${secret}`) {
      ctx.status = 401;
      ctx.body = { error: "invalid_client" };
      return;
    }
    const { token } = (ctx.request.body ?? {}) as { readonly token?: unknown };
    const found = await provider.AccessToken.find(String(token));
    const account = found && accounts.find(found.accountId);
    ctx.body = account
      ? {
          active: true,
          scope: found.scope,
          client_id: found.clientId,
          sub: account.id,
          username: account.localpart,
          token_type: "access_token",
          expires_in: found.remainingTTL,
        }
      : { active: false };
  });
}
