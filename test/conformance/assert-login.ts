import { OidcError } from "matrix-auth-elements/core";
import { check, checkEqual } from "./check.js";
import type { Environment } from "./environment.js";
import type { Endpoint, Row, Step } from "./row.js";
import type { LoginResult } from "./run-login.js";

const STEPS: readonly Step[] = ["nothing", "discovery", "registration", "authorization", "token"];

const STEP_OF: Readonly<Record<Endpoint, Step>> = {
  "well-known": "discovery",
  auth_metadata: "discovery",
  "unstable auth_metadata": "discovery",
  auth_issuer: "discovery",
  document: "discovery",
  registration: "registration",
  authorization: "authorization",
  token: "token",
  refresh: "token",
  revocation: "token",
  "device authorization": "authorization",
  "device token": "token",
  api: "token",
  keys: "discovery",
  elsewhere: "nothing",
};

const reached = ({ requests }: Environment): Step =>
  requests
    .map(({ endpoint }) => STEP_OF[endpoint])
    .reduce((far, step) => (STEPS.indexOf(step) > STEPS.indexOf(far) ? step : far), "nothing");

export const titleOfLogin = ({ id, refused }: Row): string =>
  `${id}: ${refused.message} (${refused.code})`;

export function assertLoginRefused(row: Row, result: LoginResult): void {
  const { environment, outcome, codeVerifier, waits = [] } = result;
  check(!outcome.ok, "The hostile provider was believed");
  const { name, message, code, causes, texts } = outcome;
  const { refused, reaches, keepsFlow, reason, retryAfterMs } = row;
  const error = ["OidcFlowError", OidcError[refused.message], refused.code];
  checkEqual([name, message, code], error, `The error (${texts})`);
  checkEqual(reached(environment), reaches, "How far the login went");
  // The stored sign-in stays only if another try might succeed.
  const keeps = codeVerifier !== undefined && (outcome.retryable || keepsFlow === true);
  checkEqual(outcome.kept.length, Number(keeps), "The remaining storage");
  if (typeof reason === "string") checkEqual(causes[0], reason, "The cause's message");
  if (reason instanceof RegExp) check(reason.test(causes[0] ?? ""), `The cause says ${causes[0]}`);
  if (retryAfterMs !== undefined)
    checkEqual(outcome.retryAfterMs, retryAfterMs, "The time to wait");
  if (row.waits) checkEqual(waits, row.waits, "The page's wait");
  const asksOther = environment.requests.some(({ to }) => to === "other");
  check(row.otherIsAsked !== false || !asksOther, "The other provider was sent a request");
  checkNoSecretSent(result, codeVerifier);
  checkNothingIn(texts, secretsOf(result), "The error");
  row.also?.({ environment, causes, waits });
}

export function assertLoginAccepted(result: LoginResult): void {
  const { environment, outcome } = result;
  check(outcome.ok, `The honest control was rejected: ${outcome.ok || outcome.texts}`);
  const { accessToken } = outcome;
  const newest = [environment.idp, environment.other].map(({ accessTokens }) =>
    accessTokens.at(-1),
  );
  check(newest.includes(accessToken), "The token is another than the provider gave");
  checkNoSecretSent(result);
}

/**
 * Checks that a provider's codes and tokens are sent only to itself and to the origins that the caller
 * allowed, and that a page that rejects sends its verifier only to the honest provider.
 */
function checkNoSecretSent({ environment, allowed }: LoginResult, codeVerifier?: string): void {
  for (const { to, text } of environment.requests) {
    if (to !== "stranger" && allowed.includes(environment[to].origin)) continue;
    const secrets = [
      ...(to === "idp" ? [] : environment.idp.secrets),
      ...(to === "other" ? [] : environment.other.secrets),
      ...(to === "idp" || !codeVerifier ? [] : [codeVerifier]),
    ];
    checkNothingIn(text, secrets, `The request to ${to}`);
    check(!/"(cookie|referer|authorization)":/.test(text), `The request to ${to}: ${text}`);
  }
}

const secretsOf = ({ environment, codeVerifier }: LoginResult): readonly string[] => [
  ...environment.idp.secrets,
  ...environment.other.secrets,
  ...(codeVerifier ? [codeVerifier] : []),
];

function checkNothingIn(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets) {
    check(secret === "" || !text.includes(secret), `${where} holds ${secret}: ${text}`);
  }
}
