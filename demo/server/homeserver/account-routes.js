// @ts-check
import { createAuthentication } from "./authentication.js";
import { readObject } from "./body.js";
import { forbidden, MatrixError, notFound, unrecognized } from "./errors.js";

/**
 * The requester, their devices and profiles.
 *
 * @param {import("@koa/router").Router} router
 * @param {import("./index.js").Homeserver} homeserver
 */
export function addAccountRoutes(router, homeserver) {
  const { accounts, authorizationServer, devices, serverName, sso } = homeserver;
  const authenticate = createAuthentication(homeserver);

  /** @param {import("koa").ParameterizedContext<any, any>} ctx */
  const ownDevice = async (ctx) => {
    const { userId } = await authenticate(ctx);
    const device = devices.find(userId, ctx["params"]["deviceId"]);
    if (!device) throw notFound("No device found");
    return device;
  };

  router.get("/_matrix/client/v3/account/whoami", async (ctx) => {
    const { userId, deviceId } = await authenticate(ctx);
    ctx.body = { user_id: userId, is_guest: false, ...(deviceId && { device_id: deviceId }) };
  });

  router.get("/_matrix/client/v3/capabilities", async (ctx) => {
    await authenticate(ctx);
    // What the authorization server's pages are for is not allowed here.
    const allowed = { enabled: authorizationServer === null };
    ctx.body = {
      capabilities: {
        "m.change_password": allowed,
        "m.3pid_changes": allowed,
        "m.get_login_token": allowed,
      },
    };
  });

  router.get("/_matrix/client/v3/devices", async (ctx) => {
    const { userId } = await authenticate(ctx);
    ctx.body = { devices: devices.list(userId) };
  });

  router.get("/_matrix/client/v3/devices/:deviceId", async (ctx) => {
    ctx.body = await ownDevice(ctx);
  });

  router.put("/_matrix/client/v3/devices/:deviceId", async (ctx) => {
    const device = await ownDevice(ctx);
    const { display_name: name } = await readObject(ctx);
    if (typeof name === "string") {
      if (name.length > 100) {
        throw new MatrixError(400, "M_TOO_LARGE", "Device display name is too long (max 100)");
      }
      device.display_name = name;
    }
    ctx.body = {};
  });

  if (authorizationServer) {
    // Accounts and devices are the authorization server's. 404 and not 405, though other methods of
    // this path exist: as Synapse responds.
    router.delete("/_matrix/client/v3/devices/:deviceId", async (ctx) => {
      await authenticate(ctx);
      throw unrecognized();
    });
    if (!sso) {
      router.post("/_matrix/client/v3/login", () => {
        throw unrecognized();
      });
    }
    router.post("/_matrix/client/v3/register", () => {
      throw forbidden("Registration has been disabled");
    });
    // Addresses are the authorization server's too.
    router.get("/_matrix/client/v3/account/3pid", async (ctx) => {
      await authenticate(ctx);
      ctx.body = { threepids: [] };
    });
  }

  router.get("/_matrix/client/v3/profile/:userId", (ctx) => {
    const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(ctx.params["userId"] ?? "") ?? [];
    if (server === undefined) throw new MatrixError(400, "M_INVALID_PARAM", "Not a user id");
    if (server !== serverName) throw forbidden("This server speaks to no other server");
    const account = accounts.findByLocalpart(localpart);
    if (!account) throw notFound("Profile was not found");
    ctx.body = { displayname: account.displayName };
  });
}
