import {
  ADDRESSES,
  type Environment,
  isMedium,
  type Medium,
  readAddress,
  type Validation,
} from "./environment.js";
import { type Call, type Json, readJson, refuse, type Routes, textOf } from "./exchange.js";
import { requireUia } from "./uia.js";

export const LINK_PATHS = {
  register: "client/unstable/registration/email/submit_token",
  "account/3pid": "client/unstable/add_threepid/email/submit_token",
  "account/password": "client/unstable/password_reset/email/submit_token",
} as const;

type Purpose = keyof typeof LINK_PATHS;

const SUBMIT_CODE_PATH = "client/unstable/add_threepid/msisdn/submit_token";

/** Marks an address as validated; undefined if the token is wrong. */
export function confirmAddress(
  { data }: Environment,
  request: URLSearchParams,
): Validation | undefined {
  const validation = data.validations[request.get("sid") ?? ""];
  if (!validation || validation.token !== request.get("token")) return undefined;
  if (validation.secret !== request.get("client_secret")) return undefined;
  validation.verified = true;
  return validation;
}

export function threepidRoutes(environment: Environment): Routes {
  const sendMessage = (validation: Validation, purpose: Purpose): void => {
    const { medium, address, sid, secret, token } = validation;
    const query = new URLSearchParams({ token, client_secret: secret, sid }).toString();
    const link = `${environment.api}${LINK_PATHS[purpose]}?${query}`;
    const content = medium === "email" ? { link } : { code: token };
    environment.data.messages.push({ medium, address, ...content });
  };

  const requestToken =
    (medium: Medium, purpose: Purpose) =>
    (call: Call): Json => {
      const { data } = environment;
      const body = readJson(call, {
        client_secret: "text",
        send_attempt: "number",
        ...(medium === "email" ? { email: "text" } : { country: "text", phone_number: "text" }),
        next_link: "text?",
      });
      const secret = textOf(body["client_secret"]);
      assertSecret(secret);
      if (purpose === "account/3pid") environment.assertCapability("m.3pid_changes");
      const address = readAddress(medium, body);
      environment.countAttempt(address);
      const isOwned = environment.ownerOf(medium, address) !== undefined;
      if (purpose === "account/password" && !isOwned) {
        throw refuse(400, "M_THREEPID_NOT_FOUND", "No user has this address");
      }
      if (purpose !== "account/password" && isOwned) {
        throw refuse(400, "M_THREEPID_IN_USE", "The address is in use");
      }
      const known = Object.values(data.validations).find(
        (each) => each.medium === medium && each.address === address && each.secret === secret,
      );
      const validation: Validation = known ?? {
        ...{ medium, address, secret, verified: false, attempt: 0 },
        sid: environment.nameFor("sid-"),
        token: medium === "email" ? environment.tokenFor("email-token-") : "123456",
      };
      data.validations[validation.sid] = validation;
      const attempt = Number(body["send_attempt"]);
      // A client that did not receive the response repeats the attempt.
      if (attempt > validation.attempt) {
        validation.attempt = attempt;
        validation.nextLink = textOf(body["next_link"]);
        sendMessage(validation, purpose);
      }
      const { sid } = validation;
      return medium === "email" ? { sid } : { sid, submit_url: environment.api + SUBMIT_CODE_PATH };
    };

  const tokenRoutes = (Object.keys(LINK_PATHS) as Purpose[]).flatMap((purpose) =>
    (["email", "msisdn"] as const).map((medium) => [
      `POST client/v3/${purpose}/${medium}/requestToken`,
      requestToken(medium, purpose),
    ]),
  );

  return {
    ...(Object.fromEntries(tokenRoutes) as Routes),
    [`POST ${SUBMIT_CODE_PATH}`]: (call) => {
      const body = readJson(call, { sid: "text", client_secret: "text", token: "text" });
      if (!confirmAddress(environment, new URLSearchParams(body as Record<string, string>))) {
        throw refuse(400, "M_TOKEN_INCORRECT", "The code is wrong");
      }
      return { success: true };
    },
    "GET client/v3/account/3pid": environment.signedIn((_, { user }) => {
      const { emails = [], phones = [] } = environment.data.accounts[user] ?? {};
      const list = (medium: Medium, addresses: readonly string[]): readonly Json[] =>
        addresses.map((address) => ({ medium, address, validated_at: 0, added_at: 0 }));
      return { threepids: [...list("email", emails), ...list("msisdn", phones)] };
    }),
    "POST client/v3/account/3pid/add": async (call) => {
      const body = readJson(call, { sid: "text", client_secret: "text" });
      const { user } = await environment.authenticate(call);
      environment.assertCapability("m.3pid_changes");
      requireUia(environment, call, body, { user });
      const { data } = environment;
      const validation = data.validations[textOf(body["sid"])];
      if (!validation?.verified || validation.secret !== body["client_secret"]) {
        throw refuse(400, "M_THREEPID_AUTH_FAILED", "The address is not validated");
      }
      const addresses = data.accounts[user]?.[ADDRESSES[validation.medium]];
      if (!addresses?.includes(validation.address)) addresses?.push(validation.address);
    },
    "POST client/v3/account/3pid/delete": environment.signedIn((call, { user }) => {
      environment.assertCapability("m.3pid_changes");
      const { medium, address } = readJson(call, { medium: "text", address: "text" });
      if (!isMedium(medium)) throw refuse(400, "M_BAD_JSON", "The medium is not supported");
      const found = environment.data.accounts[user];
      const addresses = ADDRESSES[medium];
      if (found) found[addresses] = found[addresses].filter((each) => each !== address);
      return { id_server_unbind_result: "no-support" };
    }),
  };
}

/** This is stricter than Synapse, because the specification is. */
function assertSecret(secret: string): void {
  if (secret.length > 255) throw refuse(400, "M_BAD_JSON", "client_secret is too long");
  if (!/^[0-9a-zA-Z.=_-]+$/.test(secret)) {
    throw refuse(400, "M_INVALID_PARAM", "Invalid client_secret parameter");
  }
}
