import { authenticate, nameFor, type Environment, type Validation } from "./environment.js";
import { json, readJson, refuse, textOf, type Call, type Json, type Routes } from "./exchange.js";
import { requireUia } from "./uia.js";

type Medium = Validation["medium"];

/** Below the base URL: where the code of a text message goes, and the link of an email leads. */
export const SUBMIT_PATH = "unstable/add_threepid/submit_token";

/** Marks an address as validated. @returns Whether the token is right. */
export function validate({ data }: Environment, request: URLSearchParams): boolean {
  const validation = data.validations[request.get("sid") ?? ""];
  if (!validation || validation.token !== request.get("token")) return false;
  if (validation.secret !== request.get("client_secret")) return false;
  return (validation.verified = true);
}

const textsOf = (body: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, textOf(value)]));

/** Email addresses and phone numbers. */
export function threepidRoutes(environment: Environment): Routes {
  const submitUrl = `${environment.homeserver}/_matrix/client/${SUBMIT_PATH}`;

  const send = ({ medium, address, sid, secret, token }: Validation): void => {
    const query = new URLSearchParams({ sid, client_secret: secret, token });
    environment.data.messages.push({
      ...{ medium, address },
      ...(medium === "email" ? { link: `${submitUrl}?${query.toString()}` } : { code: token }),
    });
  };

  const addressOf = (medium: Medium, body: Readonly<Record<string, unknown>>): string => {
    const text = textOf(body[medium === "email" ? "email" : "phone_number"]).trim();
    if (medium === "email" && /^[^@\s]+@[^@\s]+$/.test(text)) return text.toLowerCase();
    const digits = text.replaceAll(/\D/g, "");
    if (medium === "msisdn" && digits.length >= 5) return digits;
    throw refuse(400, "M_INVALID_PARAM", `No ${medium}: ${text}`);
  };

  const requestToken =
    (medium: Medium, purpose: string) =>
    ({ body: text }: Call): Response => {
      const { data } = environment;
      const body = readJson(text);
      const address = addressOf(medium, body);
      const kind = medium === "email" ? "emails" : "phones";
      const isOwned = Object.values(data.accounts).some((each) => each[kind].includes(address));
      if (purpose === "account/password" && !isOwned) {
        throw refuse(400, "M_THREEPID_NOT_FOUND", "Nobody has this address");
      }
      if (purpose !== "account/password" && isOwned) {
        throw refuse(400, "M_THREEPID_IN_USE", "The address is in use");
      }
      const secret = textOf(body["client_secret"]);
      const attempt = Number(body["send_attempt"]);
      const known = Object.values(data.validations).find(
        (each) => each.medium === medium && each.address === address && each.secret === secret,
      );
      const validation = known ?? {
        ...{ medium, address, secret, verified: false, attempt: 0 },
        sid: nameFor(environment, "sid-"),
        token: medium === "email" ? nameFor(environment, "email-token-") : "123456",
      };
      data.validations[validation.sid] = validation;
      // The same attempt again is a client that did not receive the response.
      if (attempt > validation.attempt) send(validation);
      validation.attempt = Math.max(attempt, validation.attempt);
      const { sid } = validation;
      return json(medium === "email" ? { sid } : { sid, submit_url: submitUrl });
    };

  const tokenRoutes = ["register", "account/password", "account/3pid"].flatMap((purpose) =>
    (["email", "msisdn"] as const).map((medium) => [
      `POST v3/${purpose}/${medium}/requestToken`,
      requestToken(medium, purpose),
    ]),
  ) as [string, (call: Call) => Response][];

  return {
    ...Object.fromEntries(tokenRoutes),
    [`POST ${SUBMIT_PATH}`]: ({ body }) => {
      if (!validate(environment, new URLSearchParams(textsOf(readJson(body))))) {
        throw refuse(400, "M_TOKEN_INCORRECT", "The code is not the right one");
      }
      return json({ success: true });
    },
    "GET v3/account/3pid": (call) => {
      const { user } = authenticate(environment, call);
      const { emails = [], phones = [] } = environment.data.accounts[user] ?? {};
      const list = (medium: Medium, addresses: readonly string[]): readonly object[] =>
        addresses.map((address) => ({ medium, address, validated_at: 0, added_at: 0 }));
      return json({ threepids: [...list("email", emails), ...list("msisdn", phones)] });
    },
    "POST v3/account/3pid/add": (call) => {
      const { user } = authenticate(environment, call);
      const { body } = requireUia(environment, {
        ...{ operation: "POST account/3pid/add", user, flows: environment.uia.flows },
        body: readJson(call.body),
      });
      const { data } = environment;
      const validation = data.validations[textOf(body["sid"])];
      if (!validation?.verified || validation.secret !== body["client_secret"]) {
        throw refuse(400, "M_THREEPID_AUTH_FAILED", "The address is not validated");
      }
      const kind = validation.medium === "email" ? "emails" : "phones";
      data.accounts[user]?.[kind].push(validation.address);
      return json({});
    },
    "POST v3/account/3pid/delete": (call) => {
      const { user } = authenticate(environment, call);
      const { medium, address } = readJson(call.body);
      const found = environment.data.accounts[user];
      const kind = medium === "email" ? "emails" : "phones";
      if (found) found[kind] = found[kind].filter((each) => each !== address);
      return json({ id_server_unbind_result: "no-support" });
    },
  };
}
