import { isText } from "../http/json.js";
import type { AuthDict } from "../shared/auth-dict.js";
import { AuthType } from "./auth-type.js";
import type { EmailValidation } from "./email-validation.js";
import { NoAuthFlowFoundError } from "./errors.js";
import { type AuthFlow, type Challenge, type Failure, readChallenge } from "./failure.js";
import type { IInputs, InteractiveAuthOptions } from "./options.js";

export interface Choice {
  readonly inputs: IInputs;
  /** Stages that the caller has a view for; `m.login.dummy` needs none. Undefined: all stages count alike. */
  readonly supportedStages: readonly string[] | undefined;
  readonly completed: ReadonlySet<string>;
}

/** A stage without a view costs as much as this many with one: it leads to a fallback page. */
const FALLBACK_COST = 10;

/**
 * Chooses the flow that uses most of what was given; among those the one that asks for the fewest
 * addresses that were not given; then the shortest; then the first in the homeserver's order.
 *
 * @throws {NoAuthFlowFoundError} if there is no flow, or none that can use an address or phone number
 *   that was given.
 */
export function chooseFlow(flows: readonly AuthFlow[], choice: Choice): AuthFlow {
  const given = givenStages(choice.inputs);
  const unusable = given.filter((stage) => !flows.some(({ stages }) => stages.includes(stage)));
  const [best] = ranked(flows, given, choice);
  if (!best || unusable.length > 0) {
    throw new NoAuthFlowFoundError(
      "No appropriate authentication flow found",
      best ? unusable : given,
      flows,
    );
  }
  return best;
}

/**
 * The flows between which a user can choose, the best guess first: each goes on with another stage, and verifies what
 * the caller has given.
 */
export function choosableFlows(flows: readonly AuthFlow[], choice: Choice): readonly AuthFlow[] {
  const given = givenStages(choice.inputs);
  const stagesSeen = new Set<string | undefined>([undefined]);
  return ranked(flows, given, choice).filter((flow) => {
    const stage = nextStage(flow, choice.completed);
    const isOther = !stagesSeen.has(stage);
    stagesSeen.add(stage);
    return isOther && given.every((each) => flow.stages.includes(each));
  });
}

const ranked = (
  flows: readonly AuthFlow[],
  given: readonly string[],
  choice: Choice,
): readonly AuthFlow[] =>
  flows
    .map((flow) => ({ flow, rank: rank(flow, given, choice) }))
    .sort((a, b) => compare(a.rank, b.rank))
    .map(({ flow }) => flow);

/** The first stage of a flow that is not completed. The order of `completed` is irrelevant. */
export const nextStage = (
  { stages }: AuthFlow,
  completed: ReadonlySet<string>,
): string | undefined => stages.find((stage) => !completed.has(stage));

function givenStages({ emailAddress, phoneCountry, phoneNumber }: IInputs): string[] {
  return [
    ...(emailAddress ? [AuthType.Email] : []),
    ...(phoneCountry && phoneNumber ? [AuthType.Msisdn] : []),
  ];
}

/** Lower is better; the first number counts before the second. */
function rank(
  { stages }: AuthFlow,
  given: readonly string[],
  { supportedStages, completed }: Choice,
): readonly number[] {
  const left = stages.filter((stage) => !completed.has(stage));
  const unsupported = supportedStages
    ? left.filter((stage) => stage !== AuthType.Dummy && !supportedStages.includes(stage)).length
    : 0;
  const asked = left.filter((stage) => stage === AuthType.Email || stage === AuthType.Msisdn);
  return [
    // Every stage is completed, but that was not enough for the homeserver.
    left.length === 0 ? 1 : 0,
    -given.filter((stage) => stages.includes(stage)).length,
    asked.filter((stage) => !given.includes(stage)).length,
    left.length + FALLBACK_COST * unsupported,
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((value, index) => value !== b[index]);
  return (a[difference] ?? 0) - (b[difference] ?? 0);
}

/** What the homeserver has reported about a session so far. */
export interface UiaProgress {
  /** Null before the first response, or if the homeserver has no sessions. */
  readonly id: string | null;
  readonly flows: readonly AuthFlow[];
  readonly params: ReadonlyMap<string, unknown>;
  /** A set, because homeservers list it in any order. */
  readonly completed: ReadonlySet<string>;
}

export const noProgress = (id: string | null = null): UiaProgress => ({
  id,
  flows: [],
  params: new Map(),
  completed: new Set(),
});

/** The state after a challenge. What the challenge leaves out stays as it was. */
export function applyChallenge(
  state: UiaProgress,
  { session, flows, params, completed }: Challenge,
): UiaProgress {
  const id = session ?? state.id;
  return {
    id,
    flows,
    params: params ? new Map(Object.entries(params)) : state.params,
    completed: completed ?? (id === state.id ? state.completed : new Set()),
  };
}

export const sameFlows = (a: UiaProgress, b: UiaProgress): boolean =>
  JSON.stringify(a.flows) === JSON.stringify(b.flows);

type Options = Pick<
  InteractiveAuthOptions<never>,
  "authData" | "sessionId" | "inputs" | "supportedStages"
>;

/** Why a 401 without flows is about the access token, not about the stage. */
const TOKEN_ERRORS: readonly (string | undefined)[] = [
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_LOCKED",
  "M_USER_DEACTIVATED",
];

/** How far a session has come, and the flow that was chosen for it. */
export class FlowProgress {
  readonly #options: Options;
  readonly #email: Pick<EmailValidation, "address" | "sid">;
  #state: UiaProgress;
  #flow: AuthFlow | undefined;

  constructor(options: Options, email: Pick<EmailValidation, "address" | "sid">) {
    const { authData, sessionId } = options;
    this.#options = options;
    this.#email = email;
    const { session } = authData ?? {};
    this.#state = noProgress(sessionId ?? (isText(session) ? session : undefined));
    const challenge = authData ? readChallenge({ ...authData }) : undefined;
    if (challenge) this.apply({ ...challenge, session: undefined });
  }

  /** What the homeserver has said so far. */
  get state(): UiaProgress {
    return this.#state;
  }

  /** The flow that was chosen. */
  get flow(): AuthFlow | undefined {
    return this.#flow;
  }

  /** What resumes the session; null if there is none. */
  get resumption(): AuthDict | null {
    const { id } = this.#state;
    return id === null ? null : { session: id };
  }

  /** @returns Whether the session is another than before. */
  apply(challenge: Challenge): boolean {
    const before = this.#state;
    this.#state = applyChallenge(before, challenge);
    if (!sameFlows(before, this.#state)) this.#flow = undefined;
    return this.#state.id !== before.id;
  }

  /** What is known, as a 401 without flows repeats it; undefined for a failure of any other kind. */
  repeatedBy({ status, errcode, error }: Failure): Challenge | undefined {
    const { id, flows, completed } = this.#state;
    if (status !== 401 || flows.length === 0 || TOKEN_ERRORS.includes(errcode)) return undefined;
    return { flows, params: undefined, session: id ?? undefined, completed, errcode, error };
  }

  /** Begins anew, without a session. */
  forget(): void {
    this.#state = noProgress();
    this.#flow = undefined;
  }

  /** The flow that a user can choose in place of the current one; after the last of them, the first again. */
  get otherFlow(): AuthFlow | undefined {
    const { flows, completed } = this.#state;
    const { inputs = {}, supportedStages } = this.#options;
    const choice = choosableFlows(flows, { inputs, supportedStages, completed });
    const stage = this.#flow && nextStage(this.#flow, completed);
    const index = choice.findIndex((flow) => nextStage(flow, completed) === stage);
    return choice.length > 1 ? choice[(index + 1) % choice.length] : undefined;
  }

  /** Goes on with that flow. */
  chooseOtherFlow(): void {
    this.#flow = this.otherFlow ?? this.#flow;
  }

  /** A dictionary with the homeserver's session. */
  withSession(authDict: AuthDict): AuthDict {
    return { ...authDict, ...this.resumption };
  }

  /**
   * The next stage, for which a flow is chosen if there is none or it is completed.
   *
   * @returns Undefined if every stage is completed.
   * @throws {NoAuthFlowFoundError} if no flow can use the inputs.
   */
  next(): string | undefined {
    const { flows, completed } = this.#state;
    const stage = this.#flow && nextStage(this.#flow, completed);
    if (stage !== undefined) return stage;
    const { inputs = {}, supportedStages } = this.#options;
    // An address that is or was being verified counts as given.
    const emailAddress = this.#email.address ?? this.#email.sid;
    const choice = { inputs: { ...inputs, emailAddress }, supportedStages, completed };
    this.#flow = chooseFlow(flows, choice);
    return nextStage(this.#flow, completed);
  }
}
