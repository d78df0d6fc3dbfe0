import {
  account,
  authenticate,
  endSessions,
  findAccount,
  lockedUser,
  nameFor,
  renew,
  startSession,
  unknownToken,
  userByPassword,
  userIdOf,
  type Environment,
  type Session,
} from "./environment.js";
import {
  json,
  readJson,
  refuse,
  textOf,
  unrecognized,
  type Call,
  type Json,
  type Routes,
} from "./exchange.js";
import { requireUia } from "./uia.js";

const tokensOf = ({ accessToken, refreshToken, expiresAt }: Session): Json => ({
  access_token: accessToken,
  ...(refreshToken && { refresh_token: refreshToken, expires_in_ms: expiresAt - Date.now() }),
});

/** What `POST /login` and `POST /register` respond with. */
const loginResponse = (environment: Environment, session: Session): Json => ({
  user_id: userIdOf(environment, session.user),
  device_id: session.deviceId,
  ...tokensOf(session),
});

/** A token for `m.login.token`. */
function issueLoginToken(environment: Environment, user: string): string {
  const token = nameFor(environment, "login-token-");
  environment.data.loginTokens[token] = user;
  return token;
}

/** The flows that `GET /login` lists. */
function flowsOf({ login, identityProviders }: Environment): readonly Json[] {
  const sso = {
    type: "m.login.sso",
    ...(identityProviders.length > 0 && { identity_providers: identityProviders }),
    // Clients that know OAuth 2.0 should use nothing else.
    ...(login.includes("oauth") && { oauth_aware_preferred: true }),
  };
  return [
    ...(login.includes("sso") ? [sso, { type: "m.login.token" }] : []),
    ...(login.includes("password") ? [{ type: "m.login.password" }] : []),
  ];
}

/** Signing in and out by the legacy API, and creating accounts. */
export function loginRoutes(environment: Environment): Routes {
  const signIn = (user: string, body: Json): Json => {
    const deviceId = textOf(body["device_id"]);
    const deviceName = textOf(body["initial_device_display_name"]);
    const session = startSession(environment, {
      ...{ user, kind: "legacy", deviceName, refreshable: body["refresh_token"] === true },
      ...(deviceId && { deviceId }),
    });
    return loginResponse(environment, session);
  };

  const whoSignsIn = (body: Json): string => {
    if (body["type"] === "m.login.password" && environment.login.includes("password")) {
      return userByPassword(environment, body);
    }
    if (body["type"] !== "m.login.token") throw refuse(400, "M_UNKNOWN", "Unknown login type");
    const { loginTokens } = environment.data;
    const token = textOf(body["token"]);
    const user = loginTokens[token];
    Reflect.deleteProperty(loginTokens, token);
    if (user === undefined) throw refuse(403, "M_FORBIDDEN", "Invalid login token");
    return user;
  };

  const assertAvailable = (username: string): void => {
    if (!/^[a-z\d._=/+-]+$/.test(username)) {
      throw refuse(400, "M_INVALID_USERNAME", "The username has characters that are not allowed");
    }
    if (environment.data.accounts[username]) {
      throw refuse(400, "M_USER_IN_USE", "The username is taken");
    }
  };

  const register = ({ body: text, query }: Call): Response => {
    if (!environment.login.includes("password") || query.get("kind") === "guest") {
      throw refuse(403, "M_FORBIDDEN", "Registration has been disabled");
    }
    const sent = readJson(text);
    const { body, found } = requireUia(environment, {
      operation: "POST register",
      body: sent,
      flows: environment.uia.registrationFlows,
      // Before any stage: nobody should complete them for a name that is taken.
      before: ({ username }) => {
        if (username !== undefined) assertAvailable(textOf(username));
      },
    });
    const user = textOf(body["username"]) || nameFor(environment, "user");
    environment.data.accounts[user] = {
      ...account(user, textOf(body["password"])),
      emails: found.email ? [found.email] : [],
      phones: found.msisdn ? [found.msisdn] : [],
    };
    const inhibited = body["inhibit_login"] === true;
    return json(inhibited ? { user_id: userIdOf(environment, user) } : signIn(user, body));
  };

  return {
    "GET v3/login": () => {
      const flows = flowsOf(environment);
      if (flows.length === 0) throw unrecognized();
      return json({ flows });
    },
    "POST v3/login": ({ body: text }) => {
      if (flowsOf(environment).length === 0) throw unrecognized();
      const body = readJson(text);
      const user = whoSignsIn(body);
      if (environment.data.accounts[user]?.locked) throw lockedUser();
      return json(signIn(user, body));
    },
    "POST v3/refresh": ({ body }) => {
      const token = readJson(body)["refresh_token"];
      const session = environment.data.sessions.find(
        ({ kind, refreshToken }) => kind === "legacy" && refreshToken === token,
      );
      if (!session || session.ended) throw unknownToken(session?.ended === "soft logout");
      renew(environment, session);
      return json(tokensOf(session));
    },
    "POST v3/logout": (call) => {
      const { user, deviceId } = authenticate(environment, call);
      endSessions(environment, user, deviceId);
      return json({});
    },
    "POST v3/logout/all": (call) => {
      endSessions(environment, authenticate(environment, call).user);
      return json({});
    },
    "POST v3/register": register,
    "GET v3/register/available": ({ query }) => {
      assertAvailable(query.get("username") ?? "");
      return json({ available: true });
    },
    "GET v1/register/m.login.registration_token/validity": ({ query }) =>
      json({ valid: environment.uia.registrationTokens.includes(query.get("token") ?? "") }),
    "POST v1/login/get_token": (call) => {
      const { user } = authenticate(environment, call);
      requireUia(environment, {
        operation: "POST login/get_token",
        body: readJson(call.body),
        flows: environment.uia.flows,
        user,
      });
      const login_token = issueLoginToken(environment, user);
      return json({ login_token, expires_in_ms: 120_000 });
    },
  };
}

/** @throws {TypeError} if single sign-on could not lead back. */
export function respondToSso(environment: Environment, url: URL, user?: string): string {
  const target = new URL(url.searchParams.get("redirectUrl") ?? "");
  const localpart = user ?? Object.keys(environment.data.accounts)[0] ?? "";
  if (!findAccount(environment, localpart)) throw new TypeError(`Nobody is called ${localpart}`);
  target.searchParams.append("loginToken", issueLoginToken(environment, localpart));
  return target.href;
}
