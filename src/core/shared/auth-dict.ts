/**
 * The submission for one stage: its `type`, the `session`, and the stage's own members. A
 * dictionary with only the session is for a stage that was completed elsewhere, such as on a
 * fallback page.
 *
 * @see https://spec.matrix.org/v1.19/client-server-api/#user-interactive-authentication-api
 */
export interface AuthDict {
  readonly type?: string | undefined;
  readonly session?: string | undefined;
  readonly [key: string]: unknown;
}

/**
 * Carries out one protected request: calls `makeRequest` with null first, then with submissions for
 * the stages, until the request succeeds.
 */
export type UIAuthCallback<T> = (makeRequest: (auth: AuthDict | null) => Promise<T>) => Promise<T>;
