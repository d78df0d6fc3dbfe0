import {
  InteractiveAuth,
  MatrixError,
  type AuthDict,
  type IStageStatus,
  type InteractiveAuthOptions,
} from "matrix-auth-elements/core";

/** What a homeserver answers to one request. */
export type Answer = (auth: AuthDict | null, background: boolean) => unknown;

export const SESSION = "session-1";
export const SECRET = "client-secret";
export const ADDRESS = "alice@example.org";
export const RESULT = Object.freeze({ user_id: "@alice:example" });
export const PASSWORD = { type: "m.login.password", password: "correct horse" };

const realSetTimeout = globalThis.setTimeout;

/** Until everything that needs no server, no timer and no person is done. */
export const idle = async (): Promise<void> => {
  for (let i = 0; i < 2; i += 1) await new Promise((resolve) => realSetTimeout(resolve));
};

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
}

export const matrixError = (status: number, body: unknown, headers = new Headers()): MatrixError =>
  new MatrixError({ status, body: deepFreeze(body), headers });

export const fail =
  (error: unknown): Answer =>
  () => {
    throw error;
  };

export const succeed: Answer = () => RESULT;

/** An answer that is a failure; a body that anybody changes makes the test fail. */
export const refuse = (status: number, body: unknown = {}): Answer =>
  fail(matrixError(status, body));

export const flowsOf = (...flows: readonly string[][]): { stages: string[] }[] =>
  flows.map((stages) => ({ stages }));

/** The 401 that asks for stages, from a server that keeps a session. */
export const ask = (flows: readonly string[][], rest: object = {}): Answer =>
  refuse(401, { flows: flowsOf(...flows), params: {}, session: SESSION, ...rest });

export const UNKNOWN_SESSION = refuse(400, { errcode: "M_UNKNOWN", error: "Unknown session ID" });

/** An answer that is on its way until the test lets it arrive. */
export class Held {
  #release!: (answer: Answer) => void;
  readonly #released = new Promise<Answer>((resolve) => (this.#release = resolve));
  readonly answer: Answer = async (auth, background) => (await this.#released)(auth, background);

  async release(answer: Answer): Promise<void> {
    this.#release(answer);
    await idle();
  }
}

export interface Mail {
  readonly email: string;
  readonly secret: string;
  readonly attempt: number;
  readonly session: string | null;
}

/** One `InteractiveAuth` between a scripted homeserver and a caller who takes notes. */
export class Conversation {
  readonly auth: InteractiveAuth<unknown>;
  /** What was sent, in the order in which it was sent. */
  readonly requests: (AuthDict | null)[] = [];
  readonly backgrounds: boolean[] = [];
  /** What `stateUpdated` was told. */
  readonly told: [stage: string, status: IStageStatus][] = [];
  readonly busy: boolean[] = [];
  readonly mails: Mail[] = [];
  /** What the homeserver will answer; a request beyond is one too many. */
  readonly answers: Answer[];
  /** How many requests were under way at once, at most. */
  mostInFlight = 0;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
  #inFlight = 0;

  constructor(answers: readonly Answer[], options: Partial<InteractiveAuthOptions<unknown>> = {}) {
    this.answers = [...answers];
    const { doRequest, stateUpdated, requestEmailToken, busyChanged, ...others } = options;
    this.auth = new InteractiveAuth<unknown>({
      matrixClient: {},
      inputs: {},
      clientSecret: SECRET,
      ...others,
      doRequest: async (authData, background) => {
        this.requests.push(authData);
        this.backgrounds.push(background);
        this.#inFlight += 1;
        this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
        try {
          const answer = doRequest ?? this.answers.shift() ?? fail(new Error("One too many"));
          return await answer(authData, background);
        } finally {
          this.#inFlight -= 1;
        }
      },
      stateUpdated: (nextStage, status) => {
        this.told.push([nextStage, status]);
        stateUpdated?.(nextStage, status);
      },
      requestEmailToken: async (email, secret, attempt, session) => {
        this.mails.push({ email, secret, attempt, session });
        if (requestEmailToken) return requestEmailToken(email, secret, attempt, session);
        return { sid: "sid-1" };
      },
      busyChanged: (busy) => {
        this.busy.push(busy);
        busyChanged?.(busy);
      },
    });
  }

  /** Calls `attemptAuth()`, and waits until the homeserver's answer is processed. */
  async begin(): Promise<void> {
    this.outcome = undefined;
    this.auth.attemptAuth().then(
      (value) => (this.outcome = { value }),
      (error: unknown) => (this.outcome = { error }),
    );
    await idle();
  }

  async submit(dict: AuthDict, background?: boolean): Promise<void> {
    await this.auth.submitAuthDict(dict, background);
    await idle();
  }

  async poll(): Promise<void> {
    await this.auth.poll();
    await idle();
  }

  /** What the attempt was rejected with; undefined where it was not. */
  get error(): unknown {
    return this.outcome && "error" in this.outcome ? this.outcome.error : undefined;
  }

  /** The stages that were told, without the status. */
  get stages(): readonly string[] {
    return this.told.map(([stage]) => stage);
  }

  get lastStatus(): IStageStatus | undefined {
    return this.told.at(-1)?.[1];
  }
}

/** A conversation that has begun. */
export async function begun(
  answers: readonly Answer[],
  options?: Partial<InteractiveAuthOptions<unknown>>,
): Promise<Conversation> {
  const conversation = new Conversation(answers, options);
  await conversation.begin();
  return conversation;
}
