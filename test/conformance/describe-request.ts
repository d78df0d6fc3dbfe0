import type { Endpoint } from "./row.js";
import type { Environment, LoggedRequest } from "./environment.js";

/** The honest owner of each endpoint that is not the provider's. */
const HOME: Readonly<Partial<Record<Endpoint, LoggedRequest["to"]>>> = {
  api: "homeserver",
  "well-known": "homeserver",
  auth_metadata: "homeserver",
};

/**
 * A request in a few words: the endpoint, and the number of the token that was sent, counted from 0 in
 * the order of issue (`refresh 0`, `revocation access 1`, `api 1`). An unknown token is `?`. If the
 * endpoint is not the honest one, its owner comes first.
 */
function describeRequest(
  { to, endpoint, body, headers }: LoggedRequest,
  { idp }: Environment,
): string {
  const form = new URLSearchParams(body);
  const nth = (token: string | null | undefined, tokens: readonly string[]): string =>
    token && tokens.includes(token) ? ` ${tokens.indexOf(token)}` : token ? " ?" : "";
  const hint = form.get("token_type_hint")?.replace("_token", "");
  const tokens = hint === "refresh" ? idp.refreshTokens : idp.accessTokens;
  return [
    to === (HOME[endpoint] ?? "idp") ? "" : `${to}: `,
    endpoint,
    hint ? ` ${hint}` : "",
    nth(form.get("refresh_token"), idp.refreshTokens),
    nth(form.get("token"), tokens),
    nth(headers.authorization?.replace("Bearer ", ""), idp.accessTokens),
  ].join("");
}

/** Requests in a few words, in their order. Two revocations arrive in any order, so they are sorted. */
export function describeRequests(
  requests: readonly LoggedRequest[],
  environment: Environment,
): readonly string[] {
  const described = requests.map((request) => describeRequest(request, environment));
  const isRevocation = (words: string): boolean => words.startsWith("revocation ");
  const revocations = described.filter(isRevocation).sort();
  return described.map((words) => (isRevocation(words) ? (revocations.pop() ?? words) : words));
}
