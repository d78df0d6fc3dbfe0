import { findAccount, issueLoginToken, ownerOf, userIdOf } from "./accounts.js";
import type { Environment } from "./environment.js";
import {
  assertMembers,
  type Call,
  forbidden,
  internalError,
  json,
  type Json,
  notFound,
  readJson,
  refuse,
  type Routes,
  textOf,
  unrecognized,
} from "./exchange.js";
import type { TestDevice } from "./options.js";
import {
  authenticate,
  deviceOf,
  endOtherSessions,
  endSessions,
  type Requester,
} from "./sessions.js";
import { requireUia } from "./uia.js";

/** A user's own account and devices. */
export function accountRoutes(environment: Environment): Routes {
  const ownDevice = async (call: Call): Promise<{ user: string; device: TestDevice }> => {
    const { user } = await authenticate(environment, call);
    const device = deviceOf(environment, user, call.params[0] ?? "");
    if (!device) throw notFound("No device found");
    return { user, device };
  };

  const shown = (
    user: string,
    { device_id, display_name = null, last_seen_ts = null }: Partial<Nullable<TestDevice>>,
  ): Json => ({
    device_id,
    user_id: userIdOf(environment, user),
    display_name,
    last_seen_ts,
    last_seen_ip: last_seen_ts === null ? null : "127.0.0.1",
  });

  return {
    "GET client/v3/capabilities": async (call) => {
      await authenticate(environment, call);
      // If a provider has the accounts, its pages are for that.
      const allowed = { enabled: environment.hasAccounts };
      const names = ["m.change_password", "m.3pid_changes", "m.get_login_token"];
      return json({ capabilities: Object.fromEntries(names.map((name) => [name, allowed])) });
    },
    "GET client/v3/account/whoami": async (call) => {
      const { user, deviceId } = await authenticate(environment, call);
      const device = deviceId !== null && { device_id: deviceId };
      return json({ user_id: userIdOf(environment, user), is_guest: false, ...device });
    },
    "GET client/v3/devices": async (call) => {
      const { user } = await authenticate(environment, call);
      const { devices = [] } = environment.data.accounts[user] ?? {};
      return json({ devices: devices.map((device) => shown(user, device)) });
    },
    "GET client/v3/devices/:id": async (call) => {
      const { user, device } = await ownDevice(call);
      return json(shown(user, device));
    },
    "PUT client/v3/devices/:id": async (call) => {
      const { device } = await ownDevice(call);
      const { display_name: name } = readJson(call);
      if (typeof name === "string") {
        if (name.length > 100) throw refuse(400, "M_TOO_LARGE", "Device display name is too long");
        device.display_name = name;
      }
      return json({});
    },
    "GET client/v3/profile/:userId": ({ params: [userId = ""] }) => {
      const [, localpart = "", server] = /^@([^:]*):(.*)$/s.exec(userId) ?? [];
      if (server === undefined) throw refuse(400, "M_INVALID_PARAM", "Not a user id");
      if (server !== environment.serverName) throw forbidden("This is another server's user");
      const found = findAccount(environment, localpart);
      if (!found) throw notFound("Profile was not found");
      return json({ displayname: found.displayName ?? localpart });
    },
    ...(environment.hasAccounts ? protectedRoutes(environment) : delegatedRoutes(environment)),
  };
}

type Nullable<T> = { [Name in keyof T]: T[Name] | null };

/** The responses of a homeserver whose provider has the accounts. */
function delegatedRoutes(environment: Environment): Routes {
  return {
    // Synapse responds 404, not 405, although other methods of this path exist.
    "DELETE client/v3/devices/:id": async (call) => {
      await authenticate(environment, call);
      throw unrecognized();
    },
    "POST client/v3/register": () => {
      throw forbidden("Registration has been disabled");
    },
    "GET client/v3/account/3pid": async (call) => {
      await authenticate(environment, call);
      return json({ threepids: [] });
    },
    ...(!environment.hasLegacyLogin && {
      "POST client/v3/login": () => {
        throw unrecognized();
      },
    }),
  };
}

/** @see https://spec.matrix.org/latest/client-server-api/#account-management */
function protectedRoutes(environment: Environment): Routes {
  const requireApproval = async (call: Call, body: Json): Promise<Requester> => {
    const requester = await authenticate(environment, call);
    requireUia(environment, { call, body, flows: environment.uia.flows, user: requester.user });
    return requester;
  };

  /** For a forgotten password: the account's email is enough to set another. */
  const requireEmail = (call: Call, body: Json): Requester => {
    const { email = "" } = requireUia(environment, {
      ...{ call, body },
      flows: [["m.login.email.identity"]],
    });
    const user = ownerOf(environment, "email", email);
    if (user === undefined) throw notFound("No user has this address");
    return { user, deviceId: null };
  };

  return {
    "DELETE client/v3/devices/:id": async (call) => {
      const { user } = await requireApproval(call, readJson(call));
      endSessions(environment, user, call.params[0]);
      return json({});
    },
    "POST client/v3/delete_devices": async (call) => {
      const body = readJson(call);
      assertMembers(body, { devices: "texts" });
      const { user } = await requireApproval(call, body);
      for (const id of body["devices"] as string[]) endSessions(environment, user, id);
      return json({});
    },
    "POST client/v3/account/password": async (call) => {
      const body = readJson(call);
      assertMembers(body, { new_password: "text?", logout_devices: "flag?" });
      const { new_password: password } = body;
      assertPassword(password);
      const requester = call.headers.has("Authorization")
        ? await requireApproval(call, body)
        : requireEmail(call, body);
      // Synapse's response to a last request without it.
      if (typeof password !== "string") throw internalError();
      const found = environment.data.accounts[requester.user];
      if (found) found.password = password;
      if (body["logout_devices"] !== false) endOtherSessions(environment, requester);
      return json({});
    },
    "POST client/v3/account/deactivate": async (call) => {
      const body = readJson(call);
      assertMembers(body, { erase: "flag?" });
      const { user } = await requireApproval(call, body);
      endSessions(environment, user);
      // The name stays taken.
      const found = environment.data.accounts[user];
      if (found) Object.assign(found, { deactivated: true, password: undefined });
      return json({ id_server_unbind_result: "success" });
    },
    "POST client/v1/login/get_token": async (call) => {
      const { user } = await requireApproval(call, readJson(call));
      const lifetimeMs = 300_000;
      // Synapse's older name for it, too.
      const lifetime = { expires_in_ms: lifetimeMs, expires_in: lifetimeMs / 1000 };
      return json({ login_token: issueLoginToken(environment, user, lifetimeMs), ...lifetime });
    },
  };
}

/**
 * Checks a new password, before any stage.
 *
 * @throws {ServerRefusal} `M_PASSWORD_TOO_SHORT`, Synapse's code for the specification's `M_WEAK_PASSWORD`
 */
export function assertPassword(password: unknown): void {
  const { length } = textOf(password);
  if (length > 512) throw refuse(400, "M_BAD_JSON", "The password has more than 512 characters");
  if (typeof password === "string" && length < 8) {
    throw refuse(400, "M_PASSWORD_TOO_SHORT", "Password must be at least 8 characters");
  }
}
