// @ts-check
import { randomInt } from "node:crypto";
import { AccountError } from "../accounts.js";
import { createAuthentication } from "./authentication.js";
import { readObject } from "./body.js";
import { forbidden, lockedUser, MatrixError } from "./errors.js";
import { authenticateByPassword } from "./identifier.js";
import { createInteractiveAuthentication } from "./uia/index.js";

/** @type {Record<import("../accounts.js").AccountErrorCode, string>} */
const ERRCODES = {
  taken: "M_USER_IN_USE",
  invalid_name: "M_INVALID_USERNAME",
  // Synapse's code for it. The specification has M_WEAK_PASSWORD.
  weak_password: "M_PASSWORD_TOO_SHORT",
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
  const {
    accounts,
    baseUrl,
    devices,
    limits,
    loginTokens,
    serverName,
    sessions,
    threepids,
    tokens,
    uia,
  } = homeserver;
  const authenticate = createAuthentication(homeserver, { whileLocked: true });
  const challenge = createInteractiveAuthentication(homeserver);

  /**
   * @param {string} localpart
   * @param {Record<string, unknown>} body
   */
  const signIn = (localpart, body) => {
    const deviceId = text(body["device_id"]) || letters(10);
    const userId = `@${localpart}:${serverName}`;
    tokens.revoke(localpart, deviceId);
    const displayName = text(body["initial_device_display_name"]) || null;
    devices.add({ userId, deviceId, displayName });
    return {
      user_id: userId,
      ...tokens.issue({ localpart, deviceId }, body["refresh_token"] === true),
      home_server: serverName,
      device_id: deviceId,
    };
  };

  /** @type {(body: Record<string, unknown>) => Promise<string>} a localpart; throws a MatrixError */
  const whoSignsIn = async (body) => {
    if (body["type"] === undefined) throw new MatrixError(400, "M_UNKNOWN", "Missing JSON keys.");
    if (body["type"] !== "m.login.token") {
      const key = `login ${JSON.stringify(body["identifier"])}`;
      limits.assert(key);
      limits.count(key);
      const account = await authenticateByPassword(body, homeserver);
      if (!account) throw forbidden("Invalid username or password");
      return account.localpart;
    }
    if (body["token"] === undefined) throw new MatrixError(400, "M_UNKNOWN", "Missing JSON keys.");
    return loginTokens.take(text(body["token"]));
  };

  router.post("/_matrix/client/v3/login", async (ctx) => {
    const body = await readObject(ctx);
    assertTextsOfDevice(body);
    const localpart = await whoSignsIn(body);
    if (accounts.isLocked(localpart)) throw lockedUser();
    const well_known = { "m.homeserver": { base_url: `${baseUrl}/` } };
    ctx.body = { ...signIn(localpart, body), well_known };
  });

  router.post("/_matrix/client/v3/refresh", async (ctx) => {
    const { refresh_token: token } = await readObject(ctx);
    if (token === undefined) {
      throw new MatrixError(400, "M_MISSING_PARAM", "Missing params: ['refresh_token']");
    }
    if (typeof token !== "string") {
      throw new MatrixError(400, "M_INVALID_PARAM", "Invalid param: refresh_token");
    }
    ctx.body = tokens.refresh(token);
  });

  router.post("/_matrix/client/v3/logout/all", async (ctx) => {
    const { userId, localpart } = await authenticate(ctx);
    tokens.revoke(localpart);
    for (const { device_id: deviceId } of devices.list(userId)) devices.remove(userId, deviceId);
    ctx.body = {};
  });

  router.post("/_matrix/client/v3/logout", async (ctx) => {
    const { userId, localpart, deviceId } = await authenticate(ctx);
    tokens.revoke(localpart, deviceId ?? "");
    devices.remove(userId, deviceId ?? "");
    ctx.body = {};
  });

  router.get("/_matrix/client/v3/register/available", (ctx) => {
    try {
      assertAvailable(required(ctx, "username"));
    } catch (error) {
      throw asMatrixError(error);
    }
    ctx.body = { available: true };
  });

  router.get("/_matrix/client/v1/register/m.login.registration_token/validity", (ctx) => {
    ctx.body = { valid: uia.registrationTokens.includes(required(ctx, "token")) };
  });

  /** @type {(localpart: string, password?: string) => void} throws an AccountError or a MatrixError */
  const assertAvailable = (localpart, password) => {
    if (/^\d+$/.test(localpart)) {
      throw new MatrixError(
        400,
        "M_INVALID_USERNAME",
        "Numeric user IDs are reserved for guest users.",
      );
    }
    accounts.check(localpart, password);
  };

  router.post("/_matrix/client/v3/register", async (ctx) => {
    const { kind = "user" } = ctx.query;
    if (kind === "guest") throw new MatrixError(403, "M_UNKNOWN", "Guest access is disabled");
    if (kind !== "user") {
      throw new MatrixError(400, "M_UNRECOGNIZED", `Do not understand membership kind: ${kind}`);
    }
    const limited = `register ${ctx.ip}`;
    limits.assert(limited);
    const body = wholeBody(await readObject(ctx));
    assertMembersOfRegistration(body);
    const localpart =
      typeof body["username"] === "string"
        ? body["username"].toLowerCase()
        : letters(8).toLowerCase();
    const password = text(body["password"]);
    const session = sessions.find(text(Object(body["auth"])["session"]));
    const made = session?.found["registered"];
    try {
      // First of all: a user should not go through all stages for a name that is taken.
      if (made === undefined) assertAvailable(localpart, password || undefined);
      const operation = `POST ${ctx.path}`;
      const { register: flows } = uia.flows;
      const found = await challenge({ operation, body, userId: null, flows });
      if (made === undefined) {
        if (!password) throw new MatrixError(400, "M_MISSING_PARAM", "Missing params: password");
        await accounts.create({ localpart, password });
        limits.count(limited);
        found["registered"] = localpart;
        for (const medium of /** @type {const} */ (["email", "msisdn"])) {
          const address = found[medium];
          if (typeof address === "string") {
            threepids.add(`@${localpart}:${serverName}`, medium, address);
          }
        }
      }
    } catch (error) {
      throw asMatrixError(error);
    }
    // A session that has made an account signs it in once more, as by Synapse: a client that sends the
    // last request twice has two devices.
    const signedIn = signIn(text(made) || localpart, body);
    const { user_id, home_server } = signedIn;
    ctx.body = body["inhibit_login"] === true ? { user_id, home_server } : signedIn;
  });

  /** @type {(body: Record<string, unknown>) => Record<string, unknown>} */
  const wholeBody = (body) => {
    const { auth, ...rest } = body;
    if (Object.keys(rest).length > 0) return body;
    // If only the session is sent, the rest is what the session began with.
    return { ...sessions.find(text(Object(auth)["session"]))?.body, auth };
  };
}

/** @type {(body: Record<string, unknown>) => void} throws a MatrixError */
function assertTextsOfDevice({ device_id, initial_device_display_name, refresh_token }) {
  if (refresh_token !== undefined && typeof refresh_token !== "boolean") {
    throw new MatrixError(400, "M_UNKNOWN", "`refresh_token` should be true or false.");
  }
  if (text(device_id).length > 512) {
    throw new MatrixError(400, "M_INVALID_PARAM", "device_id has more than 512 characters");
  }
  if (text(initial_device_display_name).length > 100) {
    throw new MatrixError(400, "M_TOO_LARGE", "Device display name is too long (max 100)");
  }
}

/** @type {(body: Record<string, unknown>) => void} throws a MatrixError */
function assertMembersOfRegistration({ username, password }) {
  if (username !== undefined && typeof username !== "string") {
    throw new MatrixError(400, "M_UNKNOWN", "Invalid username");
  }
  if (password !== undefined && typeof password !== "string") {
    throw new MatrixError(400, "M_UNKNOWN", "Invalid password");
  }
}

/** @type {(ctx: import("koa").Context, name: string) => string} throws a MatrixError */
function required(ctx, name) {
  const value = ctx.query[name];
  if (typeof value === "string") return value;
  throw new MatrixError(400, "M_MISSING_PARAM", `Missing string query parameter '${name}'`);
}

/** @type {(count: number) => string} */
const letters = (count) =>
  Array.from({ length: count }, () => String.fromCharCode(65 + randomInt(26))).join("");
