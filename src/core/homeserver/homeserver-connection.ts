import {
  RequestError,
  bearer,
  isJsonObject,
  parseTrustworthyUrl,
  parseUrl,
  requestJson,
  joinUrl,
  withTimeout,
  withoutTrailingSlashes,
  type JsonObject,
  type RequestOptions,
  type AbortOptions,
} from "../http/index.js";
import { OidcError, OidcFlowError } from "../oidc/errors.js";
import { bodyOrThrow, isRefusal } from "./matrix-error.js";

/** Gives an access token that is still valid, and replaces one that is not; for example an `OidcSession`. */
export interface AccessTokenSource {
  accessToken(waiting?: AbortOptions): Promise<string>;
  /** The token to try in place of one that was refused as unknown; undefined if there is none. */
  replaceToken?(
    refused: string,
    softLogout: boolean,
    waiting?: AbortOptions,
  ): Promise<string | undefined>;
  /** The only homeserver that they are for, if that is known. */
  readonly homeserverUrl?: string;
  /** Whose tokens they are, as far as it is known by now. */
  readonly user?: Pick<HomeserverClientOptions, "userId" | "deviceId">;
}

export interface HomeserverClientOptions {
  /** The base of the client-server API. */
  readonly baseUrl: string;
  readonly accessToken?: string | undefined;
  /** Gives the access token for each request that carries one; used instead of `accessToken`. */
  readonly session?: AccessTokenSource | undefined;
  /** The token's owner, if known. Default: what the session knows. */
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Used instead of `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** How every request to a homeserver is made: no redirect is followed, and no error contains a secret. */
export class HomeserverConnection {
  readonly baseUrl: string;
  readonly accessToken: string | undefined;
  readonly #owner: Pick<HomeserverClientOptions, "userId" | "deviceId">;
  readonly #session: AccessTokenSource | undefined;
  readonly #fetch: typeof globalThis.fetch | undefined;

  /** @throws {TypeError} The session is another homeserver's. */
  constructor(options: HomeserverClientOptions) {
    const { baseUrl, accessToken, session, fetch } = options;
    const [own, other] = [session?.homeserverUrl, baseUrl].map((url = "") =>
      // It may be written in another way: with the default port, in capitals.
      withoutTrailingSlashes(parseUrl(url)?.href ?? url),
    );
    if (own && own !== other) throw new TypeError(`The session is for ${own}, not for ${other}`);
    this.baseUrl = baseUrl;
    this.accessToken = accessToken;
    this.#owner = options;
    this.#session = session;
    this.#fetch = fetch;
  }

  /** Whose token it is, if that was said, or the session knows. */
  get userId(): string | undefined {
    return this.#owner.userId ?? this.#session?.user?.userId;
  }

  /** The device that the token belongs to, if that was said, or the session knows. */
  get deviceId(): string | undefined {
    return this.#owner.deviceId ?? this.#session?.user?.deviceId;
  }

  /** @internal */
  protected complete<T extends RequestOptions>(options?: T): T | RequestOptions {
    return { ...options, fetch: options?.fetch ?? this.#fetch };
  }

  /**
   * @param path below `/_matrix/client/`.
   * @internal
   */
  protected url(path: string): string {
    const url = joinUrl(this.baseUrl, `_matrix/client/${path}`);
    if (!parseTrustworthyUrl(url)) throw new TypeError("baseUrl is not an https URL");
    return url;
  }

  /**
   * @param body sent without its `auth` if that is null.
   * @param anonymous without the access token.
   * @internal
   */
  protected async request(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: JsonObject,
    options?: RequestOptions,
    anonymous?: boolean,
  ): Promise<JsonObject> {
    const url = this.url(path);
    const whole = body && { ...body, auth: body["auth"] ?? undefined };
    const sendWith = (token: string | undefined): Promise<JsonObject> => {
      const headers = token ? { Authorization: bearer(token) } : undefined;
      return this.send(method, url, whole, options, headers);
    };
    let token = anonymous ? "" : await this.#token(options);
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await sendWith(token);
      } catch (error) {
        // The session has to know if the new token is refused too.
        const other = token && (await this.#replacement(token, error, options));
        if (!other || !isFirst) throw error;
        token = other;
      }
    }
  }

  async #replacement(
    token: string,
    error: unknown,
    options?: RequestOptions,
  ): Promise<string | undefined> {
    if (!isRefusal(error, "M_UNKNOWN_TOKEN")) return undefined;
    const softLogout = error.data["soft_logout"] === true;
    return withSession(
      async (signal) => this.#session?.replaceToken?.(token, softLogout, { signal }),
      options,
    );
  }

  async #token(options?: RequestOptions): Promise<string | undefined> {
    const session = this.#session;
    if (!session) return this.accessToken;
    return withSession((signal) => session.accessToken({ signal }), options);
  }

  /** @internal */
  protected async send(
    method: string,
    url: string,
    body?: JsonObject,
    options?: RequestOptions,
    headers?: Readonly<Record<string, string>>,
  ): Promise<JsonObject> {
    const request = { method, headers, body, redirect: "manual" } as const;
    return bodyOrThrow(await requestJson(url, request, this.complete(options)));
  }
}

/** A session repeats what fails, and knows best why it has no token: that takes longer than one request. */
const SESSION_TIMEOUT_MS = 30_000;

/** Waits for a session, no longer than the caller's own time limit. */
const withSession = <T>(
  ask: (signal: AbortSignal) => Promise<T>,
  options?: RequestOptions,
): Promise<T> =>
  withTimeout(ask, "the session", {
    ...options,
    timeoutMs: options?.timeoutMs ?? SESSION_TIMEOUT_MS,
  });

/** Encodes a path segment. Refuses "", `.` and `..`, which would name another path, even percent-encoded. */
export function pathPart(value: string): string {
  if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" is no part of a path`);
  return encodeURIComponent(value);
}

/** Returns a response if its `member` has the required type. */
export function requireMember<K extends string, T>(
  member: K,
  is: (value: unknown) => value is T,
): (body: JsonObject) => JsonObject & Readonly<Record<K, T>> {
  const has = (body: JsonObject): body is JsonObject & Readonly<Record<K, T>> => is(body[member]);
  return (body) => {
    if (has(body)) return body;
    throw new RequestError("response_not_json", `The response has no valid ${member}`);
  };
}

/**
 * A part of the client that few pages call, and that would be a tenth of what a page loads to sign in.
 *
 * @throws {OidcFlowError} `General` (`load_failed`).
 */
export const loaded = <Part>(loading: Promise<Part>): Promise<Part> =>
  loading.catch((cause: unknown) => {
    throw new OidcFlowError(OidcError.General, "load_failed", cause);
  });

export const isString = (value: unknown): value is string => typeof value === "string";

/** Whether a value is a list of objects whose `member` is a string. */
export const isListWith =
  <K extends string>(member: K) =>
  (value: unknown): value is readonly (JsonObject & Readonly<Record<K, string>>)[] =>
    Array.isArray(value) && value.every((it) => isJsonObject(it) && isString(it[member]));
