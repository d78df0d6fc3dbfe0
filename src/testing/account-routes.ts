import {
  type Environment,
  lockedUserError,
  newAccount,
  type Requester,
  type UiaRecord,
  unknownTokenError,
} from "./environment.js";
import {
  assertMembers,
  type Call,
  forbidden,
  internalError,
  type Json,
  notFound,
  objectOf,
  readJson,
  record,
  refuse,
  requiredParameter,
  type Routes,
  textOf,
  unrecognized,
} from "./exchange.js";
import type { TestDevice } from "./options.js";
import { requireUia, sessionOfBody } from "./uia.js";

/** The same lifetime as in Synapse. */
const OPENID_MS = 3_600_000;

/**
 * The routes for signing in, for creating an account, and for the user's own account and devices.
 */
export const accountRoutes = (environment: Environment): Routes => ({
  ...ownRoutes(environment),
  ...(environment.hasAccounts ? protectedRoutes(environment) : delegatedRoutes(environment)),
  ...(environment.hasAccounts && registrationRoutes(environment)),
  ...(environment.hasLegacyLogin && loginRoutes(environment)),
});

function ownRoutes(environment: Environment): Routes {
  const ownDevice = (user: string, { params: [id = ""] }: Call): TestDevice => {
    const device = environment.deviceOf(user, id);
    if (!device) throw notFound("No device found");
    return device;
  };

  const shown = (user: string, device: TestDevice): Json => ({
    ...{ display_name: null, last_seen_ts: null },
    last_seen_ip: device.last_seen_ts === undefined ? null : "127.0.0.1",
    ...device,
    user_id: environment.userIdOf(user),
  });

  const profileOf = (userId: string): Json => {
    const localpart = environment.ownLocalpart(userId);
    if (localpart === userId) throw refuse(400, "M_INVALID_PARAM", "Not a user id");
    if (!localpart) throw forbidden("This is another server's user");
    const found = environment.findAccount(localpart);
    if (!found) throw notFound("Profile was not found");
    const { displayName = localpart, avatarUrl } = found;
    if (!displayName && !avatarUrl) throw notFound("Profile was not found");
    return {
      ...(displayName && { displayname: displayName }),
      ...(avatarUrl && { avatar_url: avatarUrl }),
    };
  };

  const setProfile = (call: Call, { user }: Requester): void => {
    const [userId = "", field = ""] = call.params;
    const found = environment.data.accounts[user];
    if (userId !== environment.userIdOf(user)) {
      // This is Synapse's status.
      throw refuse(400, "M_FORBIDDEN", "Cannot set another user's profile");
    }
    const rule = PROFILE_FIELDS[field];
    if (!rule) throw refuse(400, "M_UNKNOWN", "Only displayname and avatar_url are kept");
    assertAllowed(field, rule.capability);
    const value = textOf(readJson(call, { [field]: "text" }, "M_INVALID_PARAM")[field]);
    if (value.length > rule.max) {
      throw refuse(400, "M_UNKNOWN", `${field} is too long (max ${rule.max})`);
    }
    if (found) found[rule.member] = value;
  };

  /** @see https://spec.matrix.org/latest/client-server-api/#mprofile_fields-capability */
  const assertAllowed = (field: string, formerCapability: string): void => {
    const fields = environment.allCapabilities["m.profile_fields"];
    if (fields === undefined) return environment.assertCapability(formerCapability);
    environment.assertCapability("m.profile_fields");
    const { allowed, disallowed } = objectOf(fields);
    const isAllowed = Array.isArray(allowed) ? allowed.includes(field) : true;
    const isDisallowed = Array.isArray(disallowed) && disallowed.includes(field);
    if (!isAllowed || isDisallowed) throw forbidden(`${field} can't be changed on this server`);
  };

  return {
    "GET client/v3/capabilities": environment.signedIn(() => ({
      capabilities: environment.allCapabilities,
    })),
    "GET client/v3/account/whoami": environment.signedIn((_, { user, deviceId }) => {
      const device = deviceId !== null && { device_id: deviceId };
      return { user_id: environment.userIdOf(user), is_guest: false, ...device };
    }),
    "POST client/v3/user/:userId/openid/request_token": environment.signedIn((call, { user }) => {
      const { params } = call;
      if (params[0] !== environment.userIdOf(user)) {
        throw forbidden("Cannot request tokens for other users.");
      }
      const token = environment.tokenFor("openid-token-");
      environment.data.openIdTokens[token] = { user, expiresAt: environment.now() + OPENID_MS };
      return {
        access_token: token,
        token_type: "Bearer",
        matrix_server_name: environment.serverName,
        expires_in: OPENID_MS / 1000,
      };
    }),
    // This endpoint belongs to the server-server API:
    // https://spec.matrix.org/latest/server-server-api/#openid
    "GET federation/v1/openid/userinfo": ({ query }: Call) => {
      const found = environment.data.openIdTokens[query.get("access_token") ?? ""];
      if (!found || environment.now() >= found.expiresAt) {
        throw refuse(401, "M_UNKNOWN_TOKEN", "Access Token unknown or expired");
      }
      return { sub: environment.userIdOf(found.user) };
    },
    "GET client/v3/devices": environment.signedIn((_, { user }) => {
      const { devices = [] } = environment.data.accounts[user] ?? {};
      return { devices: devices.map((device) => shown(user, device)) };
    }),
    "GET client/v3/devices/:id": environment.signedIn((call, { user }) =>
      shown(user, ownDevice(user, call)),
    ),
    "PUT client/v3/devices/:id": environment.signedIn((call, { user }) => {
      const device = ownDevice(user, call);
      const { display_name: name } = readJson(call);
      if (typeof name === "string") {
        assertDeviceName(name);
        device.display_name = name;
      }
    }),
    "GET client/v3/profile/:userId": ({ params: [userId = ""] }) => profileOf(userId),
    "GET client/v3/profile/:userId/:field": ({ params: [userId = "", field = ""] }) => {
      const { [field]: value } = profileOf(userId);
      return value === undefined ? {} : { [field]: value };
    },
    "PUT client/v3/profile/:userId/:field": environment.signedIn(setProfile),
  };
}

/** With Synapse's limits for their length. */
const PROFILE_FIELDS = record<{
  readonly member: "displayName" | "avatarUrl";
  readonly max: number;
  /** Before Matrix 1.16. */
  readonly capability: string;
}>({
  displayname: { member: "displayName", max: 256, capability: "m.set_displayname" },
  avatar_url: { member: "avatarUrl", max: 1000, capability: "m.set_avatar_url" },
});

/** The responses of a homeserver whose provider has the accounts. */
const delegatedRoutes = (environment: Environment): Routes => ({
  // Synapse responds 404, not 405, although other methods of this path exist.
  "DELETE client/v3/devices/:id": environment.signedIn(() => unrecognized().response),
  "POST client/v3/register": () => forbidden("Registration has been disabled").response,
  "GET client/v3/account/3pid": environment.signedIn(() => ({ threepids: [] })),
  "POST client/v3/login": () => unrecognized().response,
});

/** @see https://spec.matrix.org/latest/client-server-api/#account-management */
function protectedRoutes(environment: Environment): Routes {
  const requireApproval = async (call: Call, body: Json): Promise<Requester> => {
    const requester = await environment.authenticate(call);
    requireUia(environment, call, body, { user: requester.user });
    return requester;
  };

  /**
   * If the user has forgotten the password, the account's email address is enough to set a new one.
   */
  const requireEmail = (call: Call, body: Json): Requester => {
    const flows = [["m.login.email.identity"]];
    const { email = "" } = requireUia(environment, call, body, { flows });
    const user = environment.ownerOf("email", email);
    if (user === undefined) throw notFound("No user has this address");
    return { user, deviceId: null };
  };

  return {
    "DELETE client/v3/devices/:id": async (call) => {
      const { user } = await requireApproval(call, readJson(call));
      environment.endSessions(user, call.params[0]);
    },
    "POST client/v3/delete_devices": async (call) => {
      const body = readJson(call, { devices: "texts" });
      const { user } = await requireApproval(call, body);
      for (const id of body["devices"] as string[]) environment.endSessions(user, id);
    },
    "POST client/v3/account/password": async (call) => {
      const body = readJson(call, { new_password: "text?", logout_devices: "flag?" });
      const { new_password: password } = body;
      environment.assertCapability("m.change_password");
      assertPassword(password);
      const requester = call.headers.has("Authorization")
        ? await requireApproval(call, body)
        : requireEmail(call, body);
      // Synapse's response if the last request lacks the password.
      if (typeof password !== "string") throw internalError();
      const found = environment.data.accounts[requester.user];
      if (found) found.password = password;
      if (body["logout_devices"] !== false) environment.endOtherSessions(requester);
    },
    "POST client/v3/account/deactivate": async (call) => {
      const { user } = await requireApproval(call, readJson(call, { erase: "flag?" }));
      environment.deactivateAccount(user);
      return { id_server_unbind_result: "success" };
    },
    "POST client/v1/login/get_token": async (call) => {
      const { user } = await requireApproval(call, readJson(call));
      const lifetimeMs = 300_000;
      // Also includes Synapse's older name for this member.
      const lifetime = { expires_in_ms: lifetimeMs, expires_in: lifetimeMs / 1000 };
      return { login_token: environment.issueLoginToken(user, lifetimeMs), ...lifetime };
    },
  };
}

function loginRoutes(environment: Environment): Routes {
  const userOfLogin = (body: Json): string => {
    const { type, identifier, token } = body;
    if (type === "m.login.password" && environment.login.includes("password")) {
      environment.countAttempt(`login ${JSON.stringify(identifier)}`);
      const user = environment.userByPassword(body);
      if (user === undefined) throw forbidden("Invalid username or password");
      return user;
    }
    if (type !== "m.login.token") throw refuse(400, "M_UNKNOWN", "Unknown type");
    if (token === undefined) throw refuse(400, "M_UNKNOWN", "Missing token");
    return environment.takeLoginToken(textOf(token));
  };

  return {
    "POST client/v3/login": (call) => {
      const body = readJson(call, { refresh_token: "flag?" }, "M_UNKNOWN");
      const { device_id, initial_device_display_name: name } = body;
      if (textOf(device_id).length > 512) {
        throw refuse(400, "M_INVALID_PARAM", "device_id has more than 512 characters");
      }
      assertDeviceName(textOf(name));
      const user = userOfLogin(body);
      if (environment.data.accounts[user]?.locked) throw lockedUserError();
      const well_known = { "m.homeserver": { base_url: `${environment.homeserver}/` } };
      return { ...signInDevice(environment, user, body), well_known };
    },
    "POST client/v3/refresh": (call) => {
      const body = readJson(call, { refresh_token: "text" }, "M_INVALID_PARAM");
      const found = environment.findSession(textOf(body["refresh_token"]), "refreshToken");
      if (!found || found.session.clientId !== undefined) throw unknownTokenError(false);
      if (found.session.isSoftLoggedOut) throw unknownTokenError(true);
      const issued = environment.refreshSession(found);
      if (!issued) throw forbidden("The refresh token isn't valid anymore");
      return environment.legacyTokens(issued);
    },
    "POST client/v3/logout": async (call) => {
      const { user, deviceId } = await environment.authenticate(call, { toSignOut: true });
      environment.endSessions(user, deviceId ?? "");
    },
    "POST client/v3/logout/all": async (call) => {
      const { user } = await environment.authenticate(call, { toSignOut: true });
      environment.endSessions(user);
    },
  };
}

function signInDevice(environment: Environment, user: string, body: Json): Json {
  const { session, issued } = environment.startSession({
    ...{ user, isRefreshable: body["refresh_token"] === true },
    deviceId: textOf(body["device_id"]),
    deviceName: textOf(body["initial_device_display_name"]),
  });
  return {
    user_id: environment.userIdOf(user),
    device_id: session.deviceId,
    home_server: environment.serverName,
    ...environment.legacyTokens(issued),
  };
}

/**
 * A leading underscore is reserved for bridges:
 * https://spec.matrix.org/latest/appendices/#user-identifiers
 */
const LOCALPART = /^[a-z0-9.=\-/+][a-z0-9._=\-/+]{0,199}$/;

function registrationRoutes(environment: Environment): Routes {
  const assertAvailable = (username: string): void => {
    // Names that consist of digits are reserved for guests.
    if (!LOCALPART.test(username) || /^\d+$/.test(username)) {
      throw refuse(400, "M_INVALID_USERNAME", "The username has characters that are not allowed");
    }
    if (environment.data.accounts[username]) {
      throw refuse(400, "M_USER_IN_USE", "The username is taken");
    }
  };

  /** A body with only the session stands for the body that the session started with. */
  const wholeBody = (body: Json): Json => {
    const isWhole = Object.keys(body).some((name) => name !== "auth");
    return isWhole ? body : { ...sessionOfBody(environment, body)?.body, auth: body["auth"] };
  };

  const createAccount = (
    { username, password }: Json,
    { email, msisdn }: UiaRecord["found"],
  ): string => {
    if (password === undefined) throw refuse(400, "M_MISSING_PARAM", "Missing params: password");
    const user = textOf(username).toLowerCase() || environment.newLocalpart();
    environment.data.accounts[user] = newAccount(user, {
      password: textOf(password),
      emails: email ? [email] : [],
      phones: msisdn ? [msisdn] : [],
    });
    return user;
  };

  return {
    "POST client/v3/register": (call) => {
      const kind = call.query.get("kind") ?? "user";
      if (kind === "guest") throw refuse(403, "M_UNKNOWN", "Guest access is disabled");
      if (kind !== "user") throw refuse(400, "M_UNRECOGNIZED", "Unknown kind of account");
      if (!environment.login.includes("password")) {
        throw forbidden("Registration has been disabled");
      }
      environment.assertAttempt("register");
      const body = wholeBody(readJson(call));
      const { username, password } = body;
      assertMembers(body, { username: "text?", password: "text?" }, "M_UNKNOWN");
      // A user should learn before the first stage that a name is taken.
      if (sessionOfBody(environment, body)?.found.registered === undefined) {
        if (username !== undefined) assertAvailable(textOf(username).toLowerCase());
        assertPassword(password);
      }
      const flows = environment.uia.registrationFlows;
      const found = requireUia(environment, call, body, { flows });
      if (found.registered === undefined) {
        found.registered = createAccount(body, found);
        environment.countAttempt("register");
      }
      if (body["inhibit_login"] === true) {
        const user_id = environment.userIdOf(found.registered);
        return { user_id, home_server: environment.serverName };
      }
      // As with Synapse, a client that sends the last request twice has two devices.
      return signInDevice(environment, found.registered, body);
    },
    "GET client/v3/register/available": (call) => {
      assertAvailable(requiredParameter(call, "username"));
      return { available: true };
    },
    "GET client/v1/register/m.login.registration_token/validity": (call) => ({
      valid: environment.uia.registrationTokens.includes(requiredParameter(call, "token")),
    }),
  };
}

function assertPassword(password: unknown): void {
  const { length } = textOf(password);
  if (length > 512) throw refuse(400, "M_BAD_JSON", "The password has more than 512 characters");
  if (typeof password === "string" && length < 8) {
    // Synapse's code for the specification's M_WEAK_PASSWORD.
    throw refuse(400, "M_PASSWORD_TOO_SHORT", "Password must be at least 8 characters");
  }
}

function assertDeviceName({ length }: string): void {
  if (length > 100) throw refuse(400, "M_TOO_LARGE", "Device display name is too long");
}
