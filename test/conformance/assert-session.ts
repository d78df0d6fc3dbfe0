import { OidcError } from "matrix-auth-elements/core";
import { check, checkEqual } from "./check.js";
import { describeRequests } from "./describe-request.js";
import type { Environment, LoggedRequest } from "./environment.js";
import type { Endpoint, Refusal, SessionRow } from "./row.js";
import type { SessionResult } from "./run-login.js";

export const titleOfSession = ({ id, refused, leaves }: SessionRow): string =>
  `${id}: ${nameOf(refused)}, ${leaves}`;

function nameOf(refused: Refusal): string {
  if (typeof refused === "string") return refused;
  if ("status" in refused) return [refused.status, refused.errcode ?? ""].join(" ").trim();
  return `${refused.message} (${[refused.code, refused.cause ?? ""].join(" ").trim()})`;
}

/** The name, message, code and cause's code of an error. */
function errorOf(refused: Refusal): readonly (string | undefined)[] {
  if (typeof refused === "string") return [refused];
  if ("status" in refused) return ["Response", String(refused.status), refused.errcode, undefined];
  return ["OidcFlowError", OidcError[refused.message], refused.code, refused.cause];
}

export function assertSessionRefused(row: SessionRow, result: SessionResult): void {
  const { run, environment, requests } = result;
  const { outcome, state, stored, events, waits, sentWithToken } = run;
  check(!outcome.ok, "The hostile response was accepted");
  const { name, message, code, causeCode, texts } = outcome;
  const error = errorOf(row.refused);
  checkEqual(
    [name, message, code, causeCode].slice(0, error.length),
    error,
    `The error (${texts})`,
  );
  checkEqual(state, row.leaves, "The session's state");
  const described = describeRequests(requests, environment);
  checkEqual(described, row.requests, "The requests since the sign-in");
  // While the user is signed in, the stored tokens stay as they were. Otherwise no token is left.
  const [before, now] = stored;
  if (row.leavesNewer) checkEqual(now, before, "The newer session in the store");
  else if (state === "signed-out") checkEqual(now, null, "The remaining store");
  else if (state === "soft-logout") {
    check(now !== null, "The device is removed");
    const left = environment.idp.secrets.filter((secret) => now?.includes(secret));
    checkEqual(left, [], "The tokens that are left in the store");
  } else if (row.renewed) check(now !== before, "The new tokens are not kept");
  else checkEqual(tokensOf(now), tokensOf(before), "The tokens in the store");
  const ends = { "signed-in": [], "signed-out": ["ended"], "soft-logout": ["ended softly"] }[state];
  checkEqual(
    events.filter((event) => event !== "changed"),
    ends,
    "The events",
  );
  if (row.waits) checkEqual(waits, row.waits, "The page's wait");
  if (row.sentWithToken) checkEqual(sentWithToken, row.sentWithToken, "The requests with a token");
  checkTokensKept(result);
  for (const secret of [...environment.idp.secrets, ...environment.other.secrets]) {
    check(!texts.includes(secret), `The error holds ${secret}: ${texts}`);
  }
  row.also?.(run);
}

/** The tokens of a stored session. */
const tokensOf = (record: string | null): unknown =>
  (JSON.parse(record ?? "{}") as { readonly tokenResponse?: unknown }).tokenResponse;

export function assertSessionAccepted(
  { controlRequests, controlValue }: SessionRow,
  result: SessionResult,
): void {
  const { environment, run, requests } = result;
  const { outcome, state } = run;
  check(outcome.ok, `The honest control was rejected: ${outcome.ok || JSON.stringify(outcome)}`);
  const good = controlValue === undefined ? goodValues(environment) : [controlValue];
  check(good.includes(outcome.value), `The page got ${outcome.value}`);
  check(state === "signed-in" || outcome.value === "revoked", `The session is ${state}`);
  if (controlRequests) {
    const described = describeRequests(requests, environment);
    checkEqual(described, controlRequests, "The control's requests since the sign-in");
  }
  checkTokensKept(result);
}

const goodValues = ({ idp }: Environment): readonly (string | undefined)[] => [
  idp.accessTokens.at(-1),
  '{"user_id":"@alice:homeserver"}',
  "revoked",
];

/** The endpoints that require a client ID. */
const BY_CLIENT: readonly Endpoint[] = ["refresh", "revocation"];

/**
 * Checks that refresh tokens go only to the issuer's own endpoints, and access tokens only there and to
 * the homeserver, in the header. Requests to the issuer must be as RFC 6749 and 7009 require them of a
 * public client.
 */
function checkTokensKept({ environment, requests }: SessionResult): void {
  for (const request of requests) {
    const { to, endpoint, method, headers, query, body } = request;
    const form = new URLSearchParams(body);
    for (const secret of secretsKeptFrom(request, environment)) {
      check(!request.text.includes(secret), `${to} was sent ${secret}: ${request.text}`);
    }
    check(!headers["cookie"], request.text);
    // The caller decides what else `fetch` sends.
    if (endpoint === "api" && to === "homeserver") continue;
    check(!headers["authorization"], `The request to ${to}: ${request.text}`);
    if (endpoint === "elsewhere") continue;
    check(!headers["referer"], request.text);
    if (to !== "idp" || !BY_CLIENT.includes(endpoint)) continue;
    const isForm = /^application\/x-www-form-urlencoded\b/.test(headers["content-type"] ?? "");
    check(isForm && /^client-/.test(form.get("client_id") ?? ""), request.text);
    checkEqual([method, query.size], ["POST", 0], "The method, and the parameters in the URL");
    const own =
      endpoint === "refresh" ? ["grant_type", "refresh_token"] : ["token", "token_type_hint"];
    checkEqual([...form.keys()].sort(), ["client_id", ...own], "The form");
  }
}

function secretsKeptFrom(
  { to, endpoint, headers }: LoggedRequest,
  { idp }: Environment,
): readonly string[] {
  if (to === "idp" && BY_CLIENT.includes(endpoint)) return [];
  const inHeader = to === "homeserver" && endpoint === "api" ? headers["authorization"] : undefined;
  return idp.secrets.filter((secret) => inHeader !== `Bearer ${secret}`);
}
