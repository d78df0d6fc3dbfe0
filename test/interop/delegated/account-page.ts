import { bodyParser } from "@koa/bodyparser";
import type Router from "@koa/router";
import { Eta } from "eta";
import {
  ACCOUNT_PATH,
  ACCOUNT_SCRIPT,
  ACCOUNT_SCRIPT_PATH,
} from "../../../demo/server/authorization-server/account-page.js";
import type { DeviceSessions } from "./device-sessions.js";
import type { OidcProvider } from "./provider-types.js";
import type { Provisioning } from "./provisioning.js";

type Accounts = import("../../../demo/server/accounts.js").Accounts;

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <link rel="icon" href="data:," />
  <title>Your account</title>
  <h1><%= it.account ? it.account.displayName : "Nobody is signed in here" %></h1>
  <p id="action"><%= it.action %></p>
  <form method="post">
    <% for (const { deviceId, clientName } of it.devices) { %>
    <p>
      <%= clientName %> <code><%= deviceId %></code>
      <button name="sign_out" value="<%= deviceId %>">Sign out</button>
    </p>
    <% } %>
    <% if (it.asks === "org.matrix.cross_signing_reset") { %>
    <button name="allow" value="reset">Allow new keys</button>
    <% } %>
    <% if (it.asks === "org.matrix.account_deactivate") { %>
    <button name="close" value="account">Close the account for good</button>
    <% } %>
  </form>
  <p role="status"><%= it.done %></p>
  <% if (it.script) { %><script src="<%= it.script %>"></script><% } %>
</html>`;

const eta = new Eta();

interface Site {
  readonly provider: OidcProvider;
  readonly accounts: Accounts;
  readonly sessions: DeviceSessions;
  readonly synapse: Provisioning;
}

type Form = Readonly<Record<string, string | undefined>>;

/**
 * The page where a user manages the account, as that of Matrix Authentication Service: what is done
 * there is done at Synapse too before the page says so.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#oauth-20-account-management
 */
export function addAccountPage(router: Router, site: Site): void {
  const { provider, accounts, sessions } = site;

  router.all(ACCOUNT_PATH, bodyParser(), async (ctx) => {
    const { accountId } = await provider.Session.get(ctx);
    const account = accountId ? accounts.find(accountId) : undefined;
    const action = String(ctx.query["action"] ?? "");
    const wanted = ctx.query["device_id"];
    const form = (ctx.method === "POST" ? ctx.request.body : {}) as Form;
    const done = account ? await act(site, account.localpart, form) : "";
    ctx.type = "html";
    ctx.set("Cache-Control", "no-store");
    ctx.set("Content-Security-Policy", "default-src 'none'; script-src 'self'; img-src data:");
    ctx.body = eta.renderString(PAGE, {
      account,
      action,
      asks: account && !done ? action : "",
      devices: account
        ? sessions.of(account.localpart).filter(({ deviceId }) => deviceId === (wanted ?? deviceId))
        : [],
      done,
      // What tells the application that opened this page.
      script: form["allow"] && ACCOUNT_SCRIPT_PATH,
    });
  });

  router.get(ACCOUNT_SCRIPT_PATH, (ctx) => {
    ctx.type = "js";
    ctx.body = ACCOUNT_SCRIPT;
  });
}

/** Does what a user asked for. @returns What the page says of it. */
async function act(
  { accounts, sessions, synapse }: Site,
  localpart: string,
  { sign_out, allow, close }: Form,
): Promise<string> {
  const ended = sessions.of(localpart).filter(({ deviceId }) => close || deviceId === sign_out);
  await Promise.all(ended.map((session) => sessions.end(session)));
  if (sign_out) return `${sign_out} is signed out.`;
  if (allow) {
    await synapse.allowCrossSigningReset(localpart);
    return "Allowed.";
  }
  if (close) {
    accounts.remove(localpart);
    await synapse.deleteUser(localpart);
    return "The account is closed.";
  }
  return "";
}
