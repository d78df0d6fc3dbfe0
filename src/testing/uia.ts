import type { Environment, Medium, UiaRecord } from "./environment.js";
import {
  assertMembers,
  type Call,
  forbidden,
  internalError,
  isJson,
  type Json,
  objectOf,
  record,
  refuse,
  ServerRefusal,
  textOf,
} from "./exchange.js";
import type { UiaSettings } from "./options.js";

/**
 * Accepts a request once its stages are completed, as Synapse does.
 *
 * @throws {ServerRefusal} The 401 that requires stages.
 * @see https://spec.matrix.org/latest/client-server-api/#user-interactive-authentication-api
 */
export function requireUia(
  environment: Environment,
  call: Call,
  body: Json,
  { flows = environment.uia.flows, user }: { flows?: UiaSettings["flows"]; user?: string },
): UiaRecord["found"] {
  const auth = readAuth(body);
  const session = openSession(environment, call, body, auth["session"]);
  const { completed, found } = session;
  const { provider } = environment.options;
  if (user !== undefined && provider?.crossSigningResetAllowed(user)) {
    completeStages(session, ...OAUTH_STAGES);
  }
  let problem: Json = {};
  if (typeof auth["type"] === "string") {
    environment.countAttempt(session.id);
    const refusal = validateStage(environment, session, auth["type"], auth, flows.flat());
    problem = refusal?.body ?? {};
    if (!refusal) completeStages(session, auth["type"]);
  }
  // Completed stages stay completed.
  if (!flows.some((stages) => stages.every((each) => completed.includes(each)))) {
    throw new ServerRefusal(401, {
      session: session.id,
      flows: flows.map((stages) => ({ stages })),
      params: paramsOf(environment, session, flows.flat()),
      // The order is reversed, because clients must not depend on it.
      ...(Object.keys(auth).length > 0 && { completed: [...completed].reverse() }),
      ...problem,
    });
  }
  if (user !== undefined && found.user !== undefined && found.user !== user) {
    // Synapse's response to another account's correct password. It is not a 401.
    throw forbidden("Invalid auth");
  }
  return found;
}

function readAuth({ auth = {} }: Json): Json {
  // Synapse accepts a missing `auth`, not null.
  if (auth === null) throw internalError();
  if (!isJson(auth)) throw refuse(400, "M_BAD_JSON", "auth is not an object");
  assertMembers(auth, { session: "text?", type: "text?" });
  return auth;
}

function openSession(environment: Environment, call: Call, body: Json, id: unknown): UiaRecord {
  const sessions = environment.data.uia;
  const operation = `${call.method} ${new URL(call.url).pathname}`;
  if (typeof id !== "string") {
    const newId = environment.lettersFor("uia", 24);
    const begun = { id: newId, operation, body: { ...body, auth: undefined } };
    return (sessions[newId] = { ...begun, completed: [], found: {} });
  }
  const session = sessions[id];
  if (!session) throw refuse(400, "M_UNKNOWN", `Unknown session ID: ${id}`);
  if (session.operation !== operation) {
    throw refuse(403, "M_UNKNOWN", "The operation has changed during the session");
  }
  return session;
}

export const sessionOfBody = ({ data }: Environment, { auth }: Json): UiaRecord | undefined =>
  data.uia[textOf(objectOf(auth)["session"])];

export function completeStages({ completed }: UiaRecord, ...stages: readonly string[]): void {
  completed.push(...stages.filter((stage) => !completed.includes(stage)));
}

export const OAUTH_STAGES = ["m.oauth", "org.matrix.cross_signing_reset"];

const unauthorized = (error: string, errcode = "M_UNAUTHORIZED"): ServerRefusal =>
  refuse(401, errcode, error);

/**
 * Validates a stage. An unknown stage is completed on its page.
 *
 * @returns The reason that it is not completed.
 * @throws {ServerRefusal} A rejection that is not about the stage.
 */
function validateStage(
  environment: Environment,
  session: UiaRecord,
  type: string,
  auth: Json,
  wanted: readonly string[],
): ServerRefusal | undefined {
  switch (type) {
    case "m.login.dummy":
    case "m.login.terms":
      return undefined;
    case "m.login.password": {
      const user = environment.userByPassword(auth);
      if (user === undefined) return unauthorized("Invalid username or password", "M_FORBIDDEN");
      session.found.user = user;
      return undefined;
    }
    case "m.login.recaptcha": {
      const response = textOf(auth["response"]);
      if (!response) return unauthorized("Captcha response is required", "M_CAPTCHA_NEEDED");
      if (isCaptchaSolved(environment, response)) return undefined;
      return unauthorized("The captcha is not solved");
    }
    case "m.login.registration_token":
    case "org.matrix.msc3231.login.registration_token":
      if (!auth["token"]) return unauthorized("Missing registration token", "M_MISSING_PARAM");
      if (typeof auth["token"] !== "string") {
        return unauthorized("Registration token must be a string", "M_INVALID_PARAM");
      }
      if (environment.uia.registrationTokens.includes(auth["token"])) return undefined;
      return unauthorized("Invalid registration token");
    case "m.login.email.identity":
      return validateCredentials(environment, session, "email", auth["threepid_creds"]);
    case "m.login.msisdn":
      return validateCredentials(environment, session, "msisdn", auth["threepid_creds"]);
    default:
      if (session.completed.includes(type)) return undefined;
      if (wanted.includes(type)) return unauthorized("This step is not completed");
      // Synapse handles it like a sign-in.
      if (!auth["identifier"]) throw refuse(400, "M_INVALID_PARAM", "Invalid login submission");
      throw refuse(400, "M_UNKNOWN", `Unknown login type ${type}`);
  }
}

export const isCaptchaSolved = ({ uia }: Environment, response: string): boolean =>
  (uia.captchaResponse ?? response) === response;

function validateCredentials(
  environment: Environment,
  session: UiaRecord,
  medium: Medium,
  creds: unknown,
): ServerRefusal | undefined {
  if (!creds) return unauthorized("Missing threepid_creds", "M_MISSING_PARAM");
  const { sid, client_secret: secret } = objectOf(creds);
  // Synapse responds like this if one of the two is missing.
  if (!sid || !secret) throw internalError();
  const validation = environment.data.validations[textOf(sid)];
  const isValid =
    validation?.verified && validation.medium === medium && validation.secret === secret;
  if (!isValid) return unauthorized("The address is not validated");
  session.found[medium] = validation.address;
  return undefined;
}

export const POLICIES = record({
  privacy: record({
    en: "Privacy policy",
    de: "Datenschutzerklärung",
    fr: "Politique de confidentialité",
  }),
  terms: record({
    en: "Terms of service",
    de: "Nutzungsbedingungen",
    fr: "Conditions d’utilisation",
  }),
});

export const policyUrl = ({ api }: Environment, id: string, language: string): string =>
  `${api}client/unstable/policies/${id}/${language}`;

/** @see https://spec.matrix.org/latest/client-server-api/#definition-mloginterms-params */
function policyParams(environment: Environment): Json {
  const policies: Record<string, Json> = {};
  for (const [id, names] of Object.entries(POLICIES)) {
    const documents: Record<string, Json> = {};
    for (const [language, name] of Object.entries(names)) {
      documents[language] = { name, url: policyUrl(environment, id, language) };
    }
    policies[id] = { version: "1.0", ...documents };
  }
  return { policies };
}

function paramsOf(environment: Environment, { id }: UiaRecord, stages: readonly string[]): Json {
  const { accountPage, options, uia } = environment;
  const session = options.provider ? "" : `&session=${id}`;
  const approval = { url: `${accountPage}?action=org.matrix.cross_signing_reset${session}` };
  const all: Json = {
    "m.login.recaptcha": { public_key: "captcha-key" },
    "m.login.terms": policyParams(environment),
    "m.oauth": approval,
    "org.matrix.cross_signing_reset": approval,
    ...uia.params,
  };
  return Object.fromEntries(Object.entries(all).filter(([stage]) => stages.includes(stage)));
}
