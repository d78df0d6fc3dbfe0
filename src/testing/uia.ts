import type { Medium } from "./addresses.js";
import {
  assertAttempt,
  countAttempt,
  lettersFor,
  userByPassword,
  type Environment,
  type UiaSession,
} from "./environment.js";
import {
  Refusal,
  assertMembers,
  forbidden,
  internalError,
  isJson,
  objectOf,
  refuse,
  textOf,
  type Call,
  type Json,
} from "./exchange.js";

interface ProtectedRequest {
  readonly call: Call;
  readonly body: Json;
  readonly flows: readonly (readonly string[])[];
  /** Who asks, if a user is signed in. */
  readonly user?: string;
}

/**
 * Lets a request through once its stages are completed, as Synapse does.
 *
 * @returns What the stages have found out.
 * @throws {Refusal} The 401 that asks for stages.
 * @see https://spec.matrix.org/latest/client-server-api/#user-interactive-authentication-api
 */
export function requireUia(
  environment: Environment,
  { call, body, flows, user }: ProtectedRequest,
): UiaSession["found"] {
  const auth = authOf(body);
  const session = openSession(environment, call, body, auth["session"]);
  const { completed, found } = session;
  if (user !== undefined && environment.outside?.crossSigningResetAllowed(user)) {
    OAUTH_STAGES.forEach((stage) => complete(session, stage));
  }
  let problem: Json = {};
  if (typeof auth["type"] === "string") {
    assertAttempt(environment, session.id);
    countAttempt(environment, session.id);
    const refusal = validateStage(environment, session, auth["type"], auth, flows.flat());
    problem = refusal?.body ?? {};
    if (!refusal) complete(session, auth["type"]);
  }
  // What was completed before stays so, whatever is wrong now.
  if (!flows.some((stages) => stages.every((each) => completed.includes(each)))) {
    throw new Refusal(401, {
      session: session.id,
      flows: flows.map((stages) => ({ stages })),
      params: paramsOf(environment, session, flows.flat()),
      // In no particular order: a client must not read one into it.
      ...(Object.keys(auth).length > 0 && { completed: [...completed].reverse() }),
      ...problem,
    });
  }
  if (user !== undefined && found.user !== undefined && found.user !== user) {
    // Synapse's response to another account's correct password: no 401.
    throw forbidden("Invalid auth");
  }
  return found;
}

/** @throws {Refusal} `M_BAD_JSON` */
function authOf({ auth = {} }: Json): Json {
  // What Synapse makes of it: to leave it out is another thing.
  if (auth === null) throw internalError();
  if (!isJson(auth)) throw refuse(400, "M_BAD_JSON", "auth is not an object");
  assertMembers(auth, { session: "text?", type: "text?" });
  return auth;
}

function openSession(environment: Environment, call: Call, body: Json, id: unknown): UiaSession {
  const { data } = environment;
  const operation = `${call.method} ${new URL(call.url).pathname}`;
  if (typeof id !== "string") {
    const began = { ...body, auth: undefined };
    const begun = { id: lettersFor(environment, "uia", 24), operation, body: began };
    return (data.uia[begun.id] = { ...begun, completed: [], found: {} });
  }
  const session = data.uia[id];
  if (!session) throw refuse(400, "M_UNKNOWN", `Unknown session ID: ${id}`);
  if (session.operation !== operation) {
    throw refuse(403, "M_UNKNOWN", "The operation has changed during the session");
  }
  return session;
}

/** The session that the body of a request names. */
export const sessionNamedIn = ({ data }: Environment, { auth }: Json): UiaSession | undefined =>
  data.uia[textOf(objectOf(auth)["session"])];

/** Marks a stage as completed. */
export const complete = ({ completed }: UiaSession, stage: string): void => {
  if (!completed.includes(stage)) completed.push(stage);
};

const unauthorized = (error: string, errcode = "M_UNAUTHORIZED"): Refusal =>
  refuse(401, errcode, error);

/**
 * Validates a stage; one that it does not know is completed on its page.
 *
 * @returns Why it is not completed.
 * @throws {Refusal} What leaves the client nothing to do.
 */
function validateStage(
  environment: Environment,
  session: UiaSession,
  type: string,
  auth: Json,
  wanted: readonly string[],
): Refusal | undefined {
  switch (type) {
    case "m.login.dummy":
    case "m.login.terms":
      return undefined;
    case "m.login.password": {
      const user = userByPassword(environment, auth);
      if (user === undefined) return unauthorized("Invalid username or password", "M_FORBIDDEN");
      session.found.user = user;
      return undefined;
    }
    case "m.login.recaptcha": {
      const response = textOf(auth["response"]);
      if (!response) return unauthorized("Captcha response is required", "M_CAPTCHA_NEEDED");
      const isRight = isCaptchaSolved(environment, response);
      return isRight ? undefined : unauthorized("The captcha is not solved");
    }
    case "m.login.registration_token":
    case "org.matrix.msc3231.login.registration_token":
      return validateToken(environment, auth["token"]);
    case "m.login.email.identity":
      return validateAddress(environment, session, "email", auth["threepid_creds"]);
    case "m.login.msisdn":
      return validateAddress(environment, session, "msisdn", auth["threepid_creds"]);
    default:
      if (session.completed.includes(type)) return undefined;
      if (wanted.includes(type)) return unauthorized("This step is not completed");
      // It is taken for a way of signing in, as by Synapse.
      if (!auth["identifier"]) throw refuse(400, "M_INVALID_PARAM", "Invalid login submission");
      throw refuse(400, "M_UNKNOWN", `Unknown login type ${type}`);
  }
}

export const isCaptchaSolved = ({ uia }: Environment, response: string): boolean =>
  (uia.captchaResponse ?? response) === response;

export const isTokenValid = ({ uia }: Environment, token: string): boolean =>
  uia.registrationTokens.includes(token);

function validateToken(environment: Environment, token: unknown): Refusal | undefined {
  if (!token) return unauthorized("Missing registration token", "M_MISSING_PARAM");
  if (typeof token !== "string") {
    return unauthorized("Registration token must be a string", "M_INVALID_PARAM");
  }
  return isTokenValid(environment, token) ? undefined : unauthorized("Invalid registration token");
}

function validateAddress(
  environment: Environment,
  session: UiaSession,
  medium: Medium,
  creds: unknown,
): Refusal | undefined {
  if (!creds) return unauthorized("Missing threepid_creds", "M_MISSING_PARAM");
  const { sid, client_secret: secret } = objectOf(creds);
  // What Synapse makes of half a proof.
  if (!sid || !secret) throw internalError();
  const validation = environment.data.validations[textOf(sid)];
  const isValid =
    validation?.verified && validation.medium === medium && validation.secret === secret;
  if (!isValid) return unauthorized("The address is not validated");
  session.found[medium] = validation.address;
  return undefined;
}

/** What the provider's page approves. */
export const OAUTH_STAGES = ["m.oauth", "org.matrix.cross_signing_reset"];

/** The documents of `m.login.terms`, and their names. */
export const POLICIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  privacy: { en: "Privacy policy", de: "Datenschutzerklärung", fr: "Politique de confidentialité" },
  terms: { en: "Terms of service", de: "Nutzungsbedingungen", fr: "Conditions d’utilisation" },
};

/** The policies, with their addresses. */
export const policiesOf = ({
  homeserver,
}: Environment): Record<string, Record<string, { readonly name: string; readonly url: string }>> =>
  Object.fromEntries(
    Object.entries(POLICIES).map(([id, names]) => [
      id,
      Object.fromEntries(
        Object.entries(names).map(([language, name]) => {
          const url = `${homeserver}/_matrix/client/unstable/policies/${id}/${language}`;
          return [language, { name, url }];
        }),
      ),
    ]),
  );

function paramsOf(environment: Environment, { id }: UiaSession, stages: readonly string[]): Json {
  const { issuer, outside, uia } = environment;
  const page = outside?.accountManagementUri ?? `${issuer}account`;
  const session = outside ? "" : `&session=${id}`;
  const approval = { url: `${page}?action=org.matrix.cross_signing_reset${session}` };
  const policies = Object.entries(policiesOf(environment)).map(([id, languages]) => [
    id,
    { version: "1.0", ...languages },
  ]);
  const all: Json = {
    "m.login.recaptcha": { public_key: "captcha-key" },
    "m.login.terms": { policies: Object.fromEntries(policies) as Json },
    "m.oauth": approval,
    "org.matrix.cross_signing_reset": approval,
    ...uia.params,
  };
  return Object.fromEntries(Object.entries(all).filter(([stage]) => stages.includes(stage)));
}

/** A session whose stage is completed on a page. @throws {TypeError} */
export function sessionOf({ data }: Environment, id: string | null): UiaSession {
  const session = data.uia[id ?? ""];
  if (!session)
    throw new TypeError(`There is no User-Interactive Authentication session ${id ?? ""}`);
  return session;
}
