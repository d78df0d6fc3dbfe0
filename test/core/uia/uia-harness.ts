import { expect } from "@open-wc/testing";
import {
  AuthType,
  InteractiveAuth,
  MatrixError,
  UiaError,
  type AuthDict,
  type IStageStatus,
  type InteractiveAuthOptions,
} from "matrix-auth-elements/core";
import { idle } from "../../support/clock.ts";

export { idle };

/** The homeserver's reaction to one request: returns its result or throws its rejection. */
export type Respond = (auth: AuthDict | null, background: boolean) => unknown;

export const {
  Email: EMAIL,
  Msisdn: MSISDN,
  Sso: SSO,
  Terms: TERMS,
  Recaptcha: CAPTCHA,
  Dummy: DUMMY,
} = AuthType;
export const SESSION = "session-1";
export const SECRET = "client-secret";
export const ADDRESS = "alice@example.org";
export const RESULT = Object.freeze({ user_id: "@alice:example" });
export const PASSWORD = { type: "m.login.password", password: "correct horse" };
export const SUBMITTED_PASSWORD = { ...PASSWORD, session: SESSION };
export const LOGIN: readonly (readonly string[])[] = [[PASSWORD.type]];

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
}

/** The body is frozen: code that changes it makes the test fail. */
export const matrixError = (status: number, body: unknown, headers = new Headers()): MatrixError =>
  new MatrixError({ status, body: deepFreeze(body), headers });

export const fail =
  (error: unknown): Respond =>
  () => {
    throw error;
  };

export const succeed: Respond = () => RESULT;

export const refuse = (status: number, body: unknown = {}): Respond =>
  fail(matrixError(status, body));

export const flowsOf = (...flows: readonly (readonly string[])[]): { stages: string[] }[] =>
  flows.map((stages) => ({ stages: [...stages] }));

/** The 401 that asks for stages, from a server that keeps a session. */
export const challenge = (flows: readonly (readonly string[])[], rest: object = {}): Respond =>
  refuse(401, { flows: flowsOf(...flows), params: {}, session: SESSION, ...rest });

/** The 401s of one flow whose stages are completed one after the other. */
export const completing = (...flow: readonly string[]): readonly Respond[] =>
  flow.map((_, done) => challenge([flow], { completed: flow.slice(0, done) }));

export const UNKNOWN_SESSION = refuse(400, { errcode: "M_UNKNOWN", error: "Unknown session ID" });

/** A response that arrives when the test releases it. */
export class HeldResponse {
  #release!: (respond: Respond) => void;
  readonly #released = new Promise<Respond>((resolve) => (this.#release = resolve));
  readonly respond: Respond = async (auth, background) => (await this.#released)(auth, background);

  async release(respond: Respond): Promise<void> {
    this.#release(respond);
    await idle();
  }
}

export interface HarnessOptions extends Partial<
  Omit<InteractiveAuthOptions<unknown>, "requestEmailToken">
> {
  /** The responses to requests for an email, in order; after the last one, each brings `sid-1`. */
  readonly emailResponses?: readonly Respond[];
}

/** The record and the state of an `InteractiveAuth`. */
export type Report = UiaHarness["report"];

interface RequestedEmail {
  readonly email: string;
  readonly secret: string;
  readonly attempt: number;
  readonly session: string | null;
}

/** An `InteractiveAuth` between a scripted homeserver and a caller that records everything. */
export class UiaHarness {
  readonly auth: InteractiveAuth<unknown>;
  /** The `auth` of each request. */
  readonly requests: (AuthDict | null)[] = [];
  readonly backgrounds: boolean[] = [];
  /** The arguments of each call of `stateUpdated`. */
  readonly updates: (readonly [stage: string, status: IStageStatus])[] = [];
  readonly busy: boolean[] = [];
  readonly emails: RequestedEmail[] = [];
  /** The remaining responses. */
  readonly responses: Respond[];
  surplusRequests = 0;
  mostInFlight = 0;
  outcome: { readonly value: unknown } | { readonly error: unknown } | undefined;
  #inFlight = 0;

  constructor(responses: readonly Respond[], options: HarnessOptions = {}) {
    this.responses = [...responses];
    const { doRequest, stateUpdated, busyChanged, emailResponses = [], ...others } = options;
    const emailsLeft = [...emailResponses];
    this.auth = new InteractiveAuth<unknown>({
      matrixClient: {},
      inputs: {},
      clientSecret: SECRET,
      ...others,
      doRequest: async (auth, background) => {
        this.requests.push(auth);
        this.backgrounds.push(background);
        this.#inFlight += 1;
        this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
        try {
          const respond = doRequest ?? this.responses.shift();
          if (respond) return await respond(auth, background);
          this.surplusRequests += 1;
          throw new Error("More requests than responses");
        } finally {
          this.#inFlight -= 1;
        }
      },
      stateUpdated: (stage, status) => {
        this.updates.push([stage, status]);
        stateUpdated?.(stage, status);
      },
      requestEmailToken: async (email, secret, attempt, session) => {
        this.emails.push({ email, secret, attempt, session });
        const respond = emailsLeft.shift() ?? emailSent("sid-1");
        return (await respond(null, false)) as { sid: string };
      },
      busyChanged: (busy) => {
        this.busy.push(busy);
        busyChanged?.(busy);
      },
    });
  }

  /** Calls `attemptAuth()`, and waits until the homeserver's response is processed. */
  async start(): Promise<void> {
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

  async poll(times = 1): Promise<void> {
    for (let i = 0; i < times; i += 1) await this.auth.poll();
    await idle();
  }

  async cancel(reason?: unknown): Promise<void> {
    this.auth.cancel(reason);
    await idle();
  }

  async act(action: Action): Promise<void> {
    if (typeof action === "function") await action(this);
    else await this.submit(action);
  }

  /** The error of the attempt. */
  get error(): unknown {
    return this.outcome && "error" in this.outcome ? this.outcome.error : undefined;
  }

  get report() {
    const { auth, requests, backgrounds, updates, busy, emails, mostInFlight } = this;
    return {
      ...{ requests, backgrounds, updates, busy, mostInFlight },
      stages: updates.map(([stage]) => stage),
      statuses: updates.map(([, status]) => status),
      lastStatus: updates.at(-1)?.[1],
      emailAddresses: emails.map(({ email }) => email),
      emailAttempts: emails.map(({ attempt }) => attempt),
      /** `pending`, `resolved`, the code of a `UiaError`, `403 M_FORBIDDEN`, or any other error itself. */
      outcome: describeOutcome(this.outcome),
      flow: auth.getChosenFlow()?.stages,
      sessionId: auth.getSessionId(),
      completed: [...auth.getCompletedStages()],
      emailSid: auth.getEmailSid(),
    };
  }

  /** Compares the named members, and that exactly the scripted requests were made. */
  expect(expected: Partial<Report>): void {
    const { report } = this;
    const names = Object.keys(expected) as (keyof Report)[];
    expect(Object.fromEntries(names.map((name) => [name, report[name]]))).to.deep.equal(expected);
    expect(this.surplusRequests, "requests without a response").to.equal(0);
    expect(this.responses, "responses without a request").to.have.length(0);
  }
}

export const emailSent =
  (sid: unknown): Respond =>
  () => ({ sid });

function describeOutcome(outcome: UiaHarness["outcome"]): unknown {
  if (!outcome) return "pending";
  if ("value" in outcome) return outcome.value === RESULT ? "resolved" : outcome.value;
  const { error } = outcome;
  if (error instanceof UiaError) return error.code;
  if (!(error instanceof MatrixError)) return error;
  return error.errcode ? `${error.httpStatus} ${error.errcode}` : String(error.httpStatus);
}

/** A harness whose attempt has started. */
export async function startUia(
  responses: readonly Respond[],
  options?: HarnessOptions,
): Promise<UiaHarness> {
  const harness = new UiaHarness(responses, options);
  await harness.start();
  return harness;
}

/** The caller's action: a submission, or any other. */
export type Action = AuthDict | ((harness: UiaHarness) => unknown);

export const start = (harness: UiaHarness): Promise<void> => harness.start();
export const cancel = (harness: UiaHarness): Promise<void> => harness.cancel();
export const poll = (harness: UiaHarness): Promise<void> => harness.poll();

/**
 * Makes an attempt, takes the actions one after the other, and compares the result. An unnamed
 * outcome must be `pending`.
 */
export async function runUia(
  responses: readonly Respond[],
  actions: readonly Action[],
  { options, ...expected }: Partial<Report> & { readonly options?: HarnessOptions },
): Promise<void> {
  const harness = await startUia(responses, options);
  for (const action of actions) await harness.act(action);
  harness.expect({ outcome: "pending", ...expected });
}
