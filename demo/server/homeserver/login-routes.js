// @ts-check
import { randomBytes } from "node:crypto";
import { AccountError } from "../accounts.js";
import { createAuthentication } from "./authentication.js";
import { readObject } from "./body.js";
import { forbidden, MatrixError } from "./errors.js";
import { createInteractiveAuthentication } from "./uia/index.js";

/** @type {Record<import("../accounts.js").AccountErrorCode, string>} */
const ERRCODES = {
  taken: "M_USER_IN_USE",
  invalid_name: "M_INVALID_USERNAME",
  weak_password: "M_WEAK_PASSWORD",
};

/** @param {unknown} error */
const asMatrixError = (error) =>
  error instanceof AccountError ? new MatrixError(400, ERRCODES[error.code], error.message) : error;

/** @type {(value: unknown) => string} */
const text = (value) => (typeof value === "string" ? value : "");

/**
 * Signing in by password, and making an account: for a homeserver that does both by itself.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addLoginRoutes(router, homeserver) {
  const { accounts, devices, serverName, threepids, tokens, uia } = homeserver;
  const authenticate = createAuthentication(homeserver);
  const challenge = createInteractiveAuthentication(homeserver);

  /**
   * @param {import("koa").Context} ctx
   * @param {string} localpart
   * @param {Record<string, unknown>} body
   */
  const signIn = (ctx, localpart, body) => {
    const deviceId = text(body["device_id"]) || randomBytes(6).toString("hex").toUpperCase();
    const userId = `@${localpart}:${serverName}`;
    tokens.revoke(localpart, deviceId);
    const displayName = text(body["initial_device_display_name"]) || null;
    devices.see({ userId, deviceId, displayName, ip: ctx.ip });
    return {
      user_id: userId,
      access_token: tokens.issue(localpart, deviceId),
      device_id: deviceId,
    };
  };

  router.post("/_matrix/client/v3/login", async (ctx) => {
    const body = await readObject(ctx);
    if (body["type"] !== "m.login.password") {
      throw new MatrixError(400, "M_UNKNOWN", `Unknown login type ${String(body["type"])}`);
    }
    const user = text(Object(body["identifier"])["user"]) || text(body["user"]);
    const localpart = user.replace(/^@/, "").replace(`:${serverName}`, "");
    const account = await accounts.authenticate(localpart, text(body["password"]));
    if (!account) throw forbidden("Invalid username or password");
    ctx.body = signIn(ctx, localpart, body);
  });

  router.post("/_matrix/client/v3/logout", async (ctx) => {
    const { userId, localpart, deviceId } = await authenticate(ctx);
    tokens.revoke(localpart, deviceId ?? "");
    devices.remove(userId, deviceId ?? "");
    ctx.body = {};
  });

  router.get("/_matrix/client/v3/register/available", (ctx) => {
    try {
      accounts.check(text(ctx.query["username"]));
    } catch (error) {
      throw asMatrixError(error);
    }
    ctx.body = { available: true };
  });

  router.get("/_matrix/client/v1/register/m.login.registration_token/validity", (ctx) => {
    ctx.body = { valid: uia.registrationTokens.includes(text(ctx.query["token"])) };
  });

  router.post("/_matrix/client/v3/register", async (ctx) => {
    const body = await readObject(ctx);
    const localpart = text(body["username"]) || randomBytes(4).toString("hex");
    const password = text(body["password"]);
    try {
      // Before anything is asked: nobody is to go through it all for a name that is taken.
      accounts.check(localpart, password || undefined);
      const found = await challenge({
        operation: `POST ${ctx.path}`,
        body,
        userId: null,
        flows: uia.flows.register,
      });
      await accounts.create({ localpart, password });
      if (typeof found["email"] === "string") {
        threepids.add(`@${localpart}:${serverName}`, "email", found["email"]);
      }
    } catch (error) {
      throw asMatrixError(error);
    }
    const { user_id, ...signedIn } = signIn(ctx, localpart, body);
    ctx.body = body["inhibit_login"] === true ? { user_id } : { user_id, ...signedIn };
  });
}
