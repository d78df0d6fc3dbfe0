import { bearerHeader } from "../http/fetch.js";
import { isJsonObject, type JsonObject } from "../http/json.js";
import { parseTrustworthyUrl } from "../http/url.js";
import type { AbortOptions } from "../http/wait.js";

interface TokenSource {
  readonly homeserverUrl: string;
  accessToken(waiting: AbortOptions): Promise<string>;
  replaceToken(
    refused: string,
    softLogout: boolean,
    waiting: AbortOptions,
  ): Promise<string | undefined>;
}

/** Sends a request, with the session's access token if it goes to the homeserver's own origin. */
export async function fetchWithToken(
  session: TokenSource,
  send: typeof globalThis.fetch,
  request: Request,
): Promise<Response> {
  const { signal, url, headers } = request;
  const isOurs = (target: string): boolean =>
    new URL(target).origin === parseTrustworthyUrl(session.homeserverUrl)?.origin;
  if (!isOurs(url) || headers.has("Authorization")) return send(request);
  const requests = [request.clone(), request];
  try {
    let token = await session.accessToken({ signal });
    for (;;) {
      const response = await send(withToken(requests.pop() ?? request, token));
      // After a redirect to another origin, the response is not about the token.
      const refusal = isOurs(response.url || url) && (await unknownToken(response));
      if (!refusal) return response;
      const softLogout = refusal["soft_logout"] === true;
      // Also for the second token: the session must know that it was refused.
      const other = await session.replaceToken(token, softLogout, { signal });
      if (other === undefined || requests.length === 0) return response;
      token = other;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function withToken(request: Request, token: string): Request {
  request.headers.set("Authorization", bearerHeader(token));
  return request;
}

/** The body of an `M_UNKNOWN_TOKEN` response, which stays readable; undefined for any other response. */
export async function unknownToken(response: Response): Promise<JsonObject | undefined> {
  if (response.status !== 401) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return isJsonObject(body) && body["errcode"] === "M_UNKNOWN_TOKEN" ? body : undefined;
}
