import type { AuthDict } from "matrix-auth-elements";

type Params = Readonly<Record<string, unknown>>;

/** Validates the data submitted for a stage: undefined accepts it, otherwise the homeserver's error. */
export type StageValidator = (
  auth: AuthDict,
) => { readonly errcode: string; readonly error: string } | undefined;

export interface ProtectedRequest {
  readonly doRequest: (auth: AuthDict | null, background: boolean) => Promise<{ done: true }>;
  /** The submitted data, in order. */
  readonly sent: (AuthDict | null)[];
  /** Completes a stage as a fallback page does. */
  complete(stage: string): void;
  /** Rejects the next request with this error. */
  failNext(error: unknown): void;
}

/** The error that a client library throws for a homeserver's rejection. */
export const refusal = (httpStatus: number, data: object): Error =>
  Object.assign(new Error("refused"), { httpStatus, data });

/** A protected endpoint that requires the stages in order. */
export function protectedRequest(
  stages: readonly string[],
  params: Params = {},
  validators: Readonly<Record<string, StageValidator>> = {},
): ProtectedRequest {
  const completed = new Set<string>();
  const sent: (AuthDict | null)[] = [];
  let failure: unknown;
  return {
    sent,
    complete: (stage) => void completed.add(stage),
    failNext: (error) => void (failure = error),
    async doRequest(auth) {
      sent.push(auth);
      await Promise.resolve();
      if (failure) {
        const error = failure;
        failure = undefined;
        throw error;
      }
      const problem = auth?.type === undefined ? undefined : validators[auth.type]?.(auth);
      if (auth?.type !== undefined && !problem) completed.add(auth.type);
      if (stages.every((stage) => completed.has(stage))) return { done: true };
      throw refusal(401, {
        session: "the-session",
        flows: [{ stages }],
        params,
        completed: [...completed],
        ...problem,
      });
    },
  };
}

export const GOOD_PASSWORD: StageValidator = ({ password }) =>
  password === "right" ? undefined : { errcode: "M_FORBIDDEN", error: "Invalid password" };
