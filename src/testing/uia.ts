import { nameFor, userByPassword, type Environment, type UiaSession } from "./environment.js";
import { Refusal, objectOf, refuse, textOf, type Json } from "./exchange.js";

interface ProtectedRequest {
  /** Method and path. */
  readonly operation: string;
  readonly body: Json;
  readonly flows: readonly (readonly string[])[];
  /** Who asks, if anybody is signed in. */
  readonly user?: string;
  /** What is checked before any stage, with the whole body. */
  readonly before?: (body: Json) => void;
}

/**
 * Lets a request through once its stages are completed, and says what they have found out.
 *
 * @throws {Refusal} the 401 that asks for stages
 * @see https://spec.matrix.org/latest/client-server-api/#user-interactive-authentication-api
 */
export function requireUia(
  environment: Environment,
  { operation, body: sent, flows, user, before }: ProtectedRequest,
): { readonly body: Json; readonly found: UiaSession["found"] } {
  const { auth: given, ...rest } = sent;
  const auth = objectOf(given);
  const session = openSession(environment, operation, rest, textOf(auth["session"]));
  // If only the session is sent, the rest is what it began with.
  const body = Object.keys(rest).length > 0 ? rest : session.body;
  before?.(body);
  let problem: Json = {};
  if (typeof auth["type"] === "string") {
    const refusal = completeByRequest(environment, session, auth["type"], auth);
    problem = refusal?.body ?? {};
    if (!refusal) complete(session, auth["type"]);
  }
  const isDone = flows.some((stages) => stages.every((each) => session.completed.includes(each)));
  if (!isDone) {
    const { completed, id } = session;
    throw new Refusal(401, {
      session: id,
      flows: flows.map((stages) => ({ stages })),
      params: paramsOf(environment, session, flows.flat()),
      ...(given !== undefined && { completed }),
      ...problem,
    });
  }
  const { found } = session;
  // Another account's correct password.
  if (user !== undefined && found.user !== undefined && found.user !== user) {
    throw refuse(403, "M_FORBIDDEN", "Invalid auth");
  }
  Reflect.deleteProperty(environment.data.uia, session.id);
  return { body, found };
}

function openSession(
  environment: Environment,
  operation: string,
  body: Json,
  id: string,
): UiaSession {
  const { data } = environment;
  if (id === "") {
    const begun = { id: nameFor(environment, "uia-"), operation, body, completed: [], found: {} };
    return (data.uia[begun.id] = begun);
  }
  const session = data.uia[id];
  if (!session) throw refuse(400, "M_UNKNOWN", `Unknown session ID: ${id}`);
  if (session.operation !== operation) {
    throw refuse(403, "M_UNKNOWN", "The operation has changed during the session");
  }
  return session;
}

/** Marks a stage as completed. */
export const complete = ({ completed }: UiaSession, stage: string): void => {
  if (!completed.includes(stage)) completed.push(stage);
};

/** Validates a stage; one that it does not know is completed on its page. @returns Why it is not completed. */
function completeByRequest(
  environment: Environment,
  session: UiaSession,
  type: string,
  auth: Json,
): Refusal | undefined {
  const { data, uia } = environment;
  switch (type) {
    case "m.login.dummy":
    case "m.login.terms":
      return undefined;
    case "m.login.password":
      try {
        session.found.user = userByPassword(environment, auth);
        return undefined;
      } catch (error) {
        if (error instanceof Refusal) return error;
        throw error;
      }
    case "m.login.recaptcha": {
      const response = textOf(auth["response"]);
      const isRight = response !== "" && (uia.captchaResponse ?? response) === response;
      return isRight ? undefined : refuse(401, "M_UNAUTHORIZED", "The captcha is not solved");
    }
    case "m.login.registration_token":
    case "org.matrix.msc3231.login.registration_token":
      return uia.registrationTokens.includes(textOf(auth["token"]))
        ? undefined
        : refuse(401, "M_UNAUTHORIZED", "Invalid registration token");
    case "m.login.email.identity":
    case "m.login.msisdn": {
      const medium = type === "m.login.msisdn" ? "msisdn" : "email";
      const creds = objectOf(auth["threepid_creds"]);
      const validation = data.validations[textOf(creds["sid"])];
      const isValid =
        validation?.verified &&
        validation.medium === medium &&
        validation.secret === creds["client_secret"];
      if (!isValid) return refuse(401, "M_UNAUTHORIZED", "The address is not validated");
      session.found[medium] = validation.address;
      return undefined;
    }
    default:
      return session.completed.includes(type)
        ? undefined
        : refuse(401, "M_UNAUTHORIZED", "This step is not completed");
  }
}

function paramsOf(
  { homeserver, issuer, uia }: Environment,
  { id }: UiaSession,
  stages: readonly string[],
): Json {
  const approval = { url: `${issuer}account?action=org.matrix.cross_signing_reset&session=${id}` };
  const policy = (name: string): Json => ({
    version: "1.0",
    en: { name, url: `${homeserver}/policies/${name.split(" ")[0]?.toLowerCase() ?? ""}` },
  });
  const all: Json = {
    "m.login.recaptcha": { public_key: "captcha-key" },
    "m.login.terms": {
      policies: { privacy: policy("Privacy policy"), terms: policy("Terms of service") },
    },
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

/** The user to whom an address belongs. */
export const ownerOf = (environment: Environment, email: string): string | undefined =>
  Object.entries(environment.data.accounts).find(([, { emails }]) => emails.includes(email))?.[0];
