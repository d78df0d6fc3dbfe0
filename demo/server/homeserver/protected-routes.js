// @ts-check
import { createAuthentication } from "./authentication.js";
import { assertMembers, readObject, readOptionalObject } from "./body.js";
import { internalError, MatrixError, missingToken } from "./errors.js";
import { createInteractiveAuthentication } from "./uia/index.js";

/**
 * The requests that require User-Interactive Authentication. A homeserver that delegates has none of
 * them: https://spec.matrix.org/v1.19/client-server-api/#account-management
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addProtectedRoutes(router, homeserver) {
  const { accounts, devices, loginTokens, serverName, threepids, tokens, uia } = homeserver;
  const authenticate = createAuthentication(homeserver);
  const challenge = createInteractiveAuthentication(homeserver);

  /**
   * @param {import("koa").Context} ctx
   * @param {Record<string, unknown>} body
   */
  const requireUia = async (ctx, body) => {
    const requester = await authenticate(ctx);
    const operation = `${ctx.method} ${ctx.path}`;
    const { userId } = requester;
    await challenge({ operation, body, userId, flows: uia.flows.account });
    return requester;
  };

  /** @type {(localpart: string, deviceIds: readonly string[]) => void} */
  const signOut = (localpart, deviceIds) => {
    for (const deviceId of deviceIds) {
      tokens.revoke(localpart, deviceId);
      devices.remove(`@${localpart}:${serverName}`, deviceId);
    }
  };

  router.delete("/_matrix/client/v3/devices/:deviceId", async (ctx) => {
    const { localpart } = await requireUia(ctx, await readOptionalObject(ctx));
    signOut(localpart, [String(ctx["params"]["deviceId"])]);
    ctx.body = {};
  });

  router.post("/_matrix/client/v3/delete_devices", async (ctx) => {
    const body = await readObject(ctx);
    assertMembers(body, { devices: "texts" });
    const { localpart } = await requireUia(ctx, body);
    signOut(localpart, /** @type {string[]} */ (body["devices"]));
    ctx.body = {};
  });

  router.post("/_matrix/client/v3/account/password", async (ctx) => {
    const body = await readObject(ctx);
    assertMembers(body, { new_password: "text?", logout_devices: "flag?" });
    const { new_password: password, logout_devices: everywhere = true } = body;
    if (typeof password === "string" && password.length > 512) {
      throw new MatrixError(400, "M_BAD_JSON", "new_password has more than 512 characters");
    }
    if (typeof password === "string" && password.length < 8) {
      // Synapse's code for it. The specification has M_WEAK_PASSWORD.
      throw new MatrixError(400, "M_PASSWORD_TOO_SHORT", "Password must be at least 8 characters");
    }
    const requester = ctx.get("Authorization")
      ? await requireUia(ctx, body)
      : await requireEmailUia(ctx, body);
    if (typeof password !== "string") {
      // What Synapse makes of a last request without it.
      throw internalError();
    }
    await accounts.setPassword(requester.localpart, password);
    if (everywhere) {
      const gone = tokens.revoke(requester.localpart, undefined, requester.deviceId ?? undefined);
      signOut(requester.localpart, gone);
    }
    ctx.body = {};
  });

  /**
   * A forgotten password: a user who can read the account's email may set a new one.
   *
   * @param {import("koa").Context} ctx
   * @param {Record<string, unknown>} body
   */
  const requireEmailUia = async (ctx, body) => {
    const flows = [["m.login.email.identity"]];
    const operation = `POST ${ctx.path}`;
    const found = await challenge({ operation, body, userId: null, flows });
    const owner = threepids.ownerOf("email", String(found["email"]));
    const localpart = owner?.replace(/^@/, "").replace(`:${serverName}`, "");
    if (!localpart) throw new MatrixError(404, "M_NOT_FOUND", "Nobody has this address");
    return { localpart, deviceId: null };
  };

  router.post("/_matrix/client/v3/account/deactivate", async (ctx) => {
    const body = await readObject(ctx);
    assertMembers(body, { erase: "flag?" });
    const { localpart, userId } = await requireUia(ctx, body);
    signOut(localpart, [
      ...tokens.revoke(localpart),
      ...devices.list(userId).map((each) => each.device_id),
    ]);
    accounts.remove(localpart);
    ctx.body = { id_server_unbind_result: "success" };
  });

  router.post("/_matrix/client/v3/account/3pid/add", async (ctx) => {
    const body = await readObject(ctx);
    assertMembers(body, { sid: "text", client_secret: "text" });
    const { userId } = await requireUia(ctx, body);
    const [sid, secret] = [String(body["sid"]), String(body["client_secret"])];
    for (const medium of /** @type {const} */ (["email", "msisdn"])) {
      const address = threepids.verified(medium, sid, secret);
      if (address === undefined) continue;
      threepids.add(userId, medium, address);
      ctx.body = {};
      return;
    }
    throw new MatrixError(400, "M_THREEPID_AUTH_FAILED", "No validated 3pid session found");
  });

  router.get("/_matrix/client/v3/account/3pid", async (ctx) => {
    const { userId } = await authenticate(ctx);
    ctx.body = { threepids: threepids.list(userId) };
  });

  router.post("/_matrix/client/v3/account/3pid/delete", async (ctx) => {
    const { userId } = await authenticate(ctx);
    const body = await readObject(ctx);
    assertMembers(body, { medium: "text", address: "text" });
    const { medium, address } = body;
    if (medium !== "email" && medium !== "msisdn") {
      throw new MatrixError(400, "M_BAD_JSON", "Such addresses are not known here");
    }
    threepids.remove(userId, medium, String(address));
    ctx.body = { id_server_unbind_result: "no-support" };
  });

  router.post("/_matrix/client/v1/login/get_token", async (ctx) => {
    if (!ctx.get("Authorization")) throw missingToken();
    const { localpart } = await requireUia(ctx, await readObject(ctx));
    // Synapse's time, and its older name for it besides.
    const expires_in_ms = 300_000;
    const login_token = loginTokens.issue(localpart, expires_in_ms);
    ctx.body = { login_token, expires_in: expires_in_ms / 1000, expires_in_ms };
  });
}
