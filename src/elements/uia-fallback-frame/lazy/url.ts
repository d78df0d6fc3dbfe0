import { joinUrl, parseUrl, webUrl } from "../../../core/http/url.js";
import { AuthType, isOAuth } from "../../../core/uia/auth-type.js";

export interface FallbackParts {
  readonly stage: string | undefined;
  readonly session: string | null;
  readonly homeserver: unknown;
  readonly client: { getFallbackAuthUrl?(stage: string, session: string): string } | undefined;
  /** What the homeserver sent with the stage. */
  readonly params: unknown;
}

/**
 * The URL of the page that completes a stage; undefined if there is none to send a user to. For an
 * approval at the authorization server, the stage's parameters contain it.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#fallback
 */
export function fallbackUrl({
  stage,
  session,
  homeserver,
  client,
  params,
}: FallbackParts): string | undefined {
  if (!stage) return undefined;
  if (isOAuth(stage)) return webUrl((Object(params) as { url?: unknown }).url);
  if (client?.getFallbackAuthUrl) {
    try {
      return webUrl(client.getFallbackAuthUrl(stage, session ?? ""));
    } catch {
      // The client's base URL is invalid; its other requests report that.
      return undefined;
    }
  }
  if (typeof homeserver !== "string") return undefined;
  const query = new URLSearchParams({ session: session ?? "" });
  const path = `_matrix/client/v3/auth/${encodeURIComponent(stage)}/fallback/web?${query.toString()}`;
  return webUrl(joinUrl(homeserver, path));
}

export const originsOf = (...urls: readonly unknown[]): readonly string[] =>
  urls.flatMap((url) => parseUrl(url)?.origin ?? []);

/** What a user is asked to do on the page of a stage. */
export function instructionOf(stage: string): "ssoAsk" | "approvalAsk" | "fallbackAsk" {
  if (isOAuth(stage)) return "approvalAsk";
  const isSso = stage === AuthType.Sso || stage === AuthType.SsoUnstable;
  return isSso ? "ssoAsk" : "fallbackAsk";
}
