import {
  authenticate,
  endSessions,
  userIdOf,
  type Environment,
  type Session,
} from "./environment.js";
import {
  isJson,
  json,
  objectOf,
  readJson,
  refuse,
  textOf,
  unrecognized,
  type Call,
  type Json,
  type Routes,
} from "./exchange.js";
import { metadataOf } from "./provider.js";
import { ownerOf, requireUia } from "./uia.js";

/** What a homeserver has besides signing in: discovery, devices, and what User-Interactive Authentication protects. */
export function accountRoutes(environment: Environment): Routes {
  const { issuer } = environment;

  /** Who makes a protected request, with the whole body. */
  const requireApproval = (
    call: Call,
    operation: string,
  ): { readonly session: Session; readonly body: Json } => {
    const session = authenticate(environment, call);
    const { flows } = environment.uia;
    const { user } = session;
    const { body } = requireUia(environment, {
      ...{ operation, user, flows },
      body: readJson(call.body),
    });
    return { session, body };
  };

  const ownDevice = (call: Call): { display_name?: string } => {
    const { user } = authenticate(environment, call);
    const device = environment.data.accounts[user]?.devices.find(
      ({ device_id }) => device_id === call.params[0],
    );
    if (!device) throw refuse(404, "M_NOT_FOUND", "No device found");
    return device;
  };

  const setPassword = (call: Call): Response => {
    const { data } = environment;
    const isSignedIn = call.headers.has("Authorization");
    const sent = readJson(call.body);
    if (isSignedIn) {
      const { session, body } = requireApproval(call, "POST account/password");
      const found = data.accounts[session.user];
      if (found) found.password = textOf(body["new_password"]);
      if (body["logout_devices"] !== false) signOutOthers(session);
      return json({});
    }
    // A forgotten password: who can read the account's mail may set another.
    const { body, found } = requireUia(environment, {
      operation: "POST account/password",
      body: sent,
      flows: [["m.login.email.identity"]],
    });
    const user = ownerOf(environment, found.email ?? "") ?? "";
    const owner = data.accounts[user];
    if (!owner) throw refuse(404, "M_NOT_FOUND", "Nobody has this address");
    owner.password = textOf(body["new_password"]);
    if (body["logout_devices"] !== false) endSessions(environment, user);
    return json({});
  };

  const signOutOthers = ({ user, deviceId }: Session): void => {
    for (const { device_id } of environment.data.accounts[user]?.devices ?? []) {
      if (device_id !== deviceId) endSessions(environment, user, device_id);
    }
  };

  /** The first keys, and the same keys again, need no proof: specification v1.11. */
  const uploadKeys = (call: Call): Response => {
    const { user } = authenticate(environment, call);
    const { auth, ...keys } = readJson(call.body);
    const { crossSigning } = environment.data;
    const present = crossSigning[user];
    const isNew = present !== undefined && JSON.stringify(present) !== JSON.stringify(keys);
    if (isNew || auth !== undefined) requireApproval(call, "POST keys/device_signing/upload");
    crossSigning[user] = keys;
    return json({});
  };

  return {
    "GET versions": () => json({ versions: ["v1.1", "v1.11", "v1.15"], unstable_features: {} }),
    "GET v1/auth_metadata": () => {
      if (!environment.login.includes("oauth")) throw unrecognized();
      return json(metadataOf(environment));
    },
    "GET v3/capabilities": (call) => {
      authenticate(environment, call);
      return json({ capabilities: { "m.change_password": { enabled: true } } });
    },
    "GET v3/account/whoami": (call) => {
      const { user, deviceId } = authenticate(environment, call);
      return json({ user_id: userIdOf(environment, user), device_id: deviceId, is_guest: false });
    },
    "GET v3/devices": (call) => {
      const { user } = authenticate(environment, call);
      return json({ devices: environment.data.accounts[user]?.devices });
    },
    "GET v3/devices/:id": (call) => json(ownDevice(call)),
    "PUT v3/devices/:id": (call) => {
      const name = readJson(call.body)["display_name"];
      if (typeof name === "string") ownDevice(call).display_name = name;
      return json({});
    },
    "DELETE v3/devices/:id": (call) => {
      const [deviceId = ""] = call.params;
      const { session } = requireApproval(call, `DELETE devices/${deviceId}`);
      endSessions(environment, session.user, deviceId);
      return json({});
    },
    "POST v3/delete_devices": (call) => {
      const { session, body } = requireApproval(call, "POST delete_devices");
      const devices: unknown = body["devices"];
      for (const id of Array.isArray(devices) ? devices.map(String) : []) {
        endSessions(environment, session.user, id);
      }
      return json({});
    },
    "POST v3/account/password": setPassword,
    "POST v3/account/deactivate": (call) => {
      const { user } = requireApproval(call, "POST account/deactivate").session;
      endSessions(environment, user);
      const found = environment.data.accounts[user];
      if (found) found.deactivated = true;
      return json({ id_server_unbind_result: "success" });
    },
    "POST v3/keys/device_signing/upload": uploadKeys,
    "POST v3/keys/signatures/upload": (call) => {
      authenticate(environment, call);
      return json({ failures: {} });
    },
    "POST v3/keys/query": (call) => {
      authenticate(environment, call);
      const asked = Object.keys(objectOf(readJson(call.body)["device_keys"]));
      const keysOf = (kind: string): Json =>
        Object.fromEntries(
          Object.entries(environment.data.crossSigning)
            .map(([user, keys]) => [userIdOf(environment, user), keys[kind]] as const)
            .filter(([userId, keys]) => asked.includes(userId) && isJson(keys)),
        );
      return json({
        device_keys: Object.fromEntries(asked.map((userId) => [userId, {}])),
        master_keys: keysOf("master_key"),
        self_signing_keys: keysOf("self_signing_key"),
        user_signing_keys: keysOf("user_signing_key"),
        failures: {},
      });
    },
    "GET v3/profile/:userId": ({ params: [userId = ""] }) => {
      const found = Object.entries(environment.data.accounts).find(
        ([user]) => userIdOf(environment, user) === userId,
      );
      if (!found) throw refuse(404, "M_NOT_FOUND", "Profile was not found");
      return json({ displayname: found[1].displayName ?? found[0] });
    },
    "GET unstable/org.matrix.msc2965/auth_issuer": () => {
      if (!environment.login.includes("oauth")) throw unrecognized();
      return json({ issuer });
    },
  };
}
