import { isOAuth } from "../../core/uia/auth-type.js";

/** What the address of a fallback page is made of. */
export interface FallbackParts {
  readonly stage: string | undefined;
  readonly session: string | null;
  readonly homeserver: unknown;
  readonly client: { getFallbackAuthUrl?(stage: string, session: string): string } | undefined;
  /** What the homeserver sent with the stage. */
  readonly params: unknown;
}

/**
 * The page that completes a stage; undefined where there is none that a person could be sent to. For
 * an approval at the authorization server it is named in the stage's parameters.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#fallback
 */
export function fallbackAddress({
  stage,
  session,
  homeserver,
  client,
  params,
}: FallbackParts): string | undefined {
  if (!stage) return undefined;
  if (isOAuth(stage)) return webAddress((Object(params) as { url?: unknown }).url);
  if (client?.getFallbackAuthUrl) {
    try {
      return webAddress(client.getFallbackAuthUrl(stage, session ?? ""));
    } catch {
      // A client with no address of its own; its other requests say so.
      return undefined;
    }
  }
  if (typeof homeserver !== "string") return undefined;
  const query = new URLSearchParams({ session: session ?? "" });
  const path = `_matrix/client/v3/auth/${encodeURIComponent(stage)}/fallback/web?${query.toString()}`;
  return webAddress(`${homeserver.replace(/\/+$/, "")}/${path}`);
}

/** A server may send anything; a `javascript:` address would run in this page. */
export function webAddress(address: unknown): string | undefined {
  if (typeof address !== "string" || !URL.canParse(address)) return undefined;
  const { protocol, href } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}

/** The origins of addresses, without those that have none. */
export const originsOf = (...addresses: readonly unknown[]): readonly string[] =>
  addresses.flatMap((address) =>
    typeof address === "string" && URL.canParse(address) ? [new URL(address).origin] : [],
  );
