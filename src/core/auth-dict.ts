/**
 * What a client submits for one stage of User-Interactive Authentication: the `auth` member of a
 * request's body.
 *
 * @see https://spec.matrix.org/v1.16/client-server-api/#user-interactive-authentication-api
 */
export interface AuthDict {
  readonly type?: string;
  readonly session?: string;
  readonly [key: string]: unknown;
}

/**
 * Proves to the homeserver who is asking: calls `makeRequest` with `null` (no `auth` in the request),
 * then with one dictionary after the other until it resolves.
 */
export type UIAuthCallback<T> = (makeRequest: (auth: AuthDict | null) => Promise<T>) => Promise<T>;
