import { assertPassword } from "./account-routes.js";
import { takeLoginToken, userByPassword, userIdOf } from "./accounts.js";
import {
  assertAttempt,
  countAttempt,
  type Environment,
  nameFor,
  newAccount,
} from "./environment.js";
import {
  type Call,
  forbidden,
  json,
  type Json,
  readJson,
  refuse,
  requiredParameter,
  type Routes,
  textOf,
} from "./exchange.js";
import {
  authenticate,
  endSessions,
  legacyTokens,
  lockedUserError,
  refreshSession,
  sessionByRefreshToken,
  startSession,
  unknownTokenError,
} from "./sessions.js";
import { isTokenValid, requireUia, sessionOfBody } from "./uia.js";

/** A leading underscore is reserved for bridges: https://spec.matrix.org/latest/appendices/#user-identifiers */
const LOCALPART = /^[a-z0-9.=\-/+][a-z0-9._=\-/+]{0,199}$/;

export const loginRoutes = (environment: Environment): Routes => ({
  ...(environment.hasLegacyLogin && legacyRoutes(environment)),
  ...(environment.hasAccounts && registrationRoutes(environment)),
});

function signInDevice(environment: Environment, user: string, body: Json): Json {
  const deviceId = textOf(body["device_id"]);
  const session = startSession(environment, {
    ...{ user, kind: "legacy", isRefreshable: body["refresh_token"] === true },
    deviceName: textOf(body["initial_device_display_name"]),
    ...(deviceId && { deviceId }),
  });
  return {
    user_id: userIdOf(environment, user),
    device_id: session.deviceId,
    home_server: environment.serverName,
    ...legacyTokens(environment, session.issued),
  };
}

function legacyRoutes(environment: Environment): Routes {
  const identifyUser = (body: Json): string => {
    const { type } = body;
    if (type === "m.login.password" && environment.login.includes("password")) {
      const attempt = `login ${JSON.stringify(body["identifier"])}`;
      countAttempt(environment, attempt);
      const user = userByPassword(environment, body);
      if (user === undefined) throw forbidden("Invalid username or password");
      return user;
    }
    if (type === "m.login.token" && body["token"] !== undefined) {
      return takeLoginToken(environment, textOf(body["token"]));
    }
    throw refuse(400, "M_UNKNOWN", type === "m.login.token" ? "Missing token" : "Unknown type");
  };

  return {
    "POST client/v3/login": (call) => {
      const body = readJson(call);
      assertDevice(body);
      const user = identifyUser(body);
      if (environment.data.accounts[user]?.locked) throw lockedUserError();
      const well_known = { "m.homeserver": { base_url: `${environment.homeserver}/` } };
      return json({ ...signInDevice(environment, user, body), well_known });
    },
    "POST client/v3/refresh": (call) => {
      const { refresh_token: token } = readJson(call);
      if (token === undefined) throw refuse(400, "M_MISSING_PARAM", "refresh_token is missing");
      if (typeof token !== "string") {
        throw refuse(400, "M_INVALID_PARAM", "refresh_token is not a string");
      }
      const session = sessionByRefreshToken(environment, "legacy", token);
      if (!session || session.ended) throw unknownTokenError(session?.ended === "soft logout");
      const issued = refreshSession(environment, session, token);
      if (!issued) throw forbidden("The refresh token isn't valid anymore");
      return json(legacyTokens(environment, issued));
    },
    "POST client/v3/logout": async (call) => {
      const { user, deviceId } = await authenticate(environment, call, { toSignOut: true });
      endSessions(environment, user, deviceId ?? "");
      return json({});
    },
    "POST client/v3/logout/all": async (call) => {
      const { user } = await authenticate(environment, call, { toSignOut: true });
      endSessions(environment, user);
      return json({});
    },
  };
}

/** @throws {ServerRefusal} `M_UNKNOWN`, `M_INVALID_PARAM`, `M_TOO_LARGE` */
function assertDevice({ device_id, initial_device_display_name, refresh_token }: Json): void {
  if (refresh_token !== undefined && typeof refresh_token !== "boolean") {
    throw refuse(400, "M_UNKNOWN", "`refresh_token` should be true or false");
  }
  if (textOf(device_id).length > 512) {
    throw refuse(400, "M_INVALID_PARAM", "device_id has more than 512 characters");
  }
  if (textOf(initial_device_display_name).length > 100) {
    throw refuse(400, "M_TOO_LARGE", "Device display name is too long");
  }
}

function registrationRoutes(environment: Environment): Routes {
  const assertAvailable = (username: string): void => {
    // Names of digits alone are reserved for guests.
    if (!LOCALPART.test(username) || /^\d+$/.test(username)) {
      throw refuse(400, "M_INVALID_USERNAME", "The username has characters that are not allowed");
    }
    if (environment.data.accounts[username]) {
      throw refuse(400, "M_USER_IN_USE", "The username is taken");
    }
  };

  /** A body with only the session stands for the one that the session began with. */
  const wholeBody = (body: Json): Json => {
    const isWhole = Object.keys(body).some((name) => name !== "auth");
    return isWhole ? body : { ...sessionOfBody(environment, body)?.body, auth: body["auth"] };
  };

  const createAccount = (body: Json, { email, msisdn }: { email?: string; msisdn?: string }) => {
    if (body["password"] === undefined) {
      throw refuse(400, "M_MISSING_PARAM", "Missing params: password");
    }
    const user = textOf(body["username"]).toLowerCase() || nameFor(environment, "user");
    environment.data.accounts[user] = {
      ...newAccount(user, textOf(body["password"])),
      emails: email ? [email] : [],
      phones: msisdn ? [msisdn] : [],
    };
    return user;
  };

  const register = (call: Call): Response => {
    const kind = call.query.get("kind") ?? "user";
    if (kind === "guest") throw refuse(403, "M_UNKNOWN", "Guest access is disabled");
    if (kind !== "user") throw refuse(400, "M_UNRECOGNIZED", "Unknown kind of account");
    if (!environment.login.includes("password")) throw forbidden("Registration has been disabled");
    assertAttempt(environment, "register");
    const body = wholeBody(readJson(call));
    const { username, password } = body;
    for (const [name, value] of Object.entries({ username, password })) {
      if (value !== undefined && typeof value !== "string") {
        throw refuse(400, "M_UNKNOWN", `Invalid ${name}`);
      }
    }
    // A user should learn before all stages that a name is taken.
    if (sessionOfBody(environment, body)?.found.registered === undefined) {
      if (username !== undefined) assertAvailable(textOf(username).toLowerCase());
      assertPassword(password);
    }
    const { registrationFlows: flows } = environment.uia;
    const found = requireUia(environment, { call, body, flows });
    if (found.registered === undefined) {
      found.registered = createAccount(body, found);
      countAttempt(environment, "register");
    }
    const { registered } = found;
    if (body["inhibit_login"] === true) {
      const home_server = environment.serverName;
      return json({ user_id: userIdOf(environment, registered), home_server });
    }
    // As with Synapse, a client that sends the last request twice has two devices.
    return json(signInDevice(environment, registered, body));
  };

  return {
    "POST client/v3/register": register,
    "GET client/v3/register/available": (call) => {
      assertAvailable(requiredParameter(call, "username"));
      return json({ available: true });
    },
    "GET client/v1/register/m.login.registration_token/validity": (call) =>
      json({ valid: isTokenValid(environment, requiredParameter(call, "token")) }),
  };
}
