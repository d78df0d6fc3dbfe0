import { bodyParser } from "@koa/bodyparser";
import type Router from "@koa/router";
import type { OidcProvider } from "./provider-types.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;

/**
 * Lets Synapse ask what an access token is good for, as RFC 7662 has it; it asks at this path of its
 * `matrix_authentication_service.endpoint`, and takes `username` for the part of the user id.
 *
 * @param secret Requests without it get no answer.
 */
export function addIntrospection(
  router: Router,
  { provider, accounts, secret }: { provider: OidcProvider; accounts: Accounts; secret: string },
): void {
  router.post("/oauth2/introspect", bodyParser(), async (ctx) => {
    // Synapse keeps connections for later, and does not ask again where Node closes one that was idle for
    // some seconds in the very moment it is used: it answers 503.
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
