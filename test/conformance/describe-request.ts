import type { Endpoint } from "./row.js";
import type { Environment, LoggedRequest } from "./environment.js";

/** Where an endpoint is, when nobody else's is asked. */
const HOME: Readonly<Partial<Record<Endpoint, LoggedRequest["to"]>>> = {
  api: "homeserver",
  "well-known": "homeserver",
  auth_metadata: "homeserver",
};

/**
 * A request in a few words: the endpoint, which token was sent to it, by the order in which they were
 * given out, from 0 (`refresh 0`, `revocation access 1`, `api 1`), and where it is nobody's token
 * `?`; before it whose endpoint it is, where that is another's than the honest one's.
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

/** Requests in a few words, in their order; a token's two revocations leave together, so in one order. */
export function describeRequests(
  requests: readonly LoggedRequest[],
  environment: Environment,
): readonly string[] {
  const described = requests.map((request) => describeRequest(request, environment));
  const isRevocation = (words: string): boolean => words.startsWith("revocation ");
  const revocations = described.filter(isRevocation).sort();
  return described.map((words) => (isRevocation(words) ? (revocations.pop() ?? words) : words));
}
