import { textIn } from "../http/json.js";
import {
  type AuthDict,
  type AuthFlow,
  AuthType,
  type IInputs,
  type InteractiveAuthOptions,
} from "./options.js";
import type { EmailValidation } from "./email-validation.js";
import { NoAuthFlowFoundError } from "./errors.js";
import { type Challenge, type Failure, readChallenge } from "./failure.js";

interface FlowChoice {
  readonly inputs: IInputs;
  readonly supportedStages: readonly string[] | undefined;
  readonly completed: ReadonlySet<string>;
}

/** A stage without a view leads to a fallback page, so it counts as this many stages with one. */
const FALLBACK_COST = 10;

/**
 * Chooses the flow that uses most of the given inputs, then the flow that requires the fewest other
 * addresses, then the shortest, then the first in the homeserver's order.
 *
 * @throws {NoAuthFlowFoundError} if the homeserver offers no flow, or no flow that can use the
 * given address or phone number.
 */
function chooseFlow(flows: readonly AuthFlow[], choice: FlowChoice): AuthFlow {
  const given = givenStages(choice.inputs);
  const unusable = given.filter((stage) => !flows.some(({ stages }) => stages.includes(stage)));
  const [best] = rankFlows(flows, given, choice);
  if (best && unusable.length === 0) return best;
  const message = "No appropriate authentication flow found";
  throw new NoAuthFlowFoundError(message, best ? unusable : given, flows);
}

/** The best first. Each continues with another stage, and uses all given inputs. */
function choosableFlows(flows: readonly AuthFlow[], choice: FlowChoice): readonly AuthFlow[] {
  const given = givenStages(choice.inputs);
  const stagesSeen = new Set<string | undefined>([undefined]);
  return rankFlows(flows, given, choice).filter((flow) => {
    const stage = nextStage(flow, choice.completed);
    const isOther = !stagesSeen.has(stage);
    stagesSeen.add(stage);
    return isOther && given.every((each) => flow.stages.includes(each));
  });
}

const rankFlows = (flows: readonly AuthFlow[], given: readonly string[], choice: FlowChoice) =>
  flows
    .map((flow) => ({ flow, rank: rankOf(flow, given, choice) }))
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .map(({ flow }) => flow);

/** The order of `completed` is irrelevant. */
export const nextStage = (flow: AuthFlow, completed: ReadonlySet<string>): string | undefined =>
  flow.stages.find((stage) => !completed.has(stage));

const givenStages = ({ emailAddress, phoneCountry, phoneNumber }: IInputs): readonly string[] => [
  ...(emailAddress ? [AuthType.Email] : []),
  ...(phoneCountry && phoneNumber ? [AuthType.Msisdn] : []),
];

/** Lower is better; the first number counts before the second. */
function rankOf(
  { stages }: AuthFlow,
  given: readonly string[],
  { supportedStages, completed }: FlowChoice,
): readonly number[] {
  const left = stages.filter((stage) => !completed.has(stage));
  const unsupported = supportedStages
    ? left.filter((stage) => stage !== AuthType.Dummy && !supportedStages.includes(stage)).length
    : 0;
  const asked = left.filter((stage) => stage === AuthType.Email || stage === AuthType.Msisdn);
  return [
    // Its stages are completed, but this was not enough for the homeserver.
    left.length === 0 ? 1 : 0,
    -given.filter((stage) => stages.includes(stage)).length,
    asked.filter((stage) => !given.includes(stage)).length,
    left.length + FALLBACK_COST * unsupported,
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const difference = a.findIndex((value, index) => value !== b[index]);
  return (a[difference] ?? 0) - (b[difference] ?? 0);
}

interface UiaProgress {
  /** Null before the first response, or if the homeserver has no sessions. */
  readonly id: string | null;
  readonly flows: readonly AuthFlow[];
  readonly params: ReadonlyMap<string, unknown>;
  readonly completed: ReadonlySet<string>;
}

const noProgress = (id: string | null = null): UiaProgress => ({
  id,
  flows: [],
  params: new Map(),
  completed: new Set(),
});

type FlowOptions = Pick<
  InteractiveAuthOptions<never>,
  "authData" | "sessionId" | "inputs" | "supportedStages"
>;

/** A 401 without flows is about the access token, not the stage, if it has one of these codes. */
const TOKEN_ERRORS: readonly (string | undefined)[] = [
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_LOCKED",
  "M_USER_DEACTIVATED",
];

export class FlowProgress {
  readonly #options: FlowOptions;
  readonly #email: Pick<EmailValidation, "address" | "sid">;
  #state: UiaProgress;
  #flow: AuthFlow | undefined;

  constructor(options: FlowOptions, email: Pick<EmailValidation, "address" | "sid">) {
    const { authData, sessionId } = options;
    this.#options = options;
    this.#email = email;
    const { session } = authData ?? {};
    this.#state = noProgress(sessionId ?? textIn(session));
    const challenge = authData ? readChallenge({ ...authData }) : undefined;
    if (challenge) this.apply({ ...challenge, session: undefined });
  }

  get state(): UiaProgress {
    return this.#state;
  }

  get flow(): AuthFlow | undefined {
    return this.#flow;
  }

  get resumption(): AuthDict | null {
    const { id } = this.#state;
    return id === null ? null : { session: id };
  }

  /** Missing members of the challenge change nothing. @returns Whether the session is a new one. */
  apply({ session, flows, params, completed }: Challenge): boolean {
    const before = this.#state;
    const id = session ?? before.id;
    this.#state = {
      id,
      flows,
      params: params ? new Map(Object.entries(params)) : before.params,
      completed: completed ?? (id === before.id ? before.completed : new Set()),
    };
    if (JSON.stringify(before.flows) !== JSON.stringify(flows)) this.#flow = undefined;
    return id !== before.id;
  }

  /** A 401 without flows keeps the known flows; undefined for any other failure. */
  repeatedBy({ status, errcode, error }: Failure): Challenge | undefined {
    const { flows, completed } = this.#state;
    if (status !== 401 || flows.length === 0 || TOKEN_ERRORS.includes(errcode)) return undefined;
    return { flows, params: undefined, session: undefined, completed, errcode, error };
  }

  forget(): void {
    this.#state = noProgress();
    this.#flow = undefined;
  }

  /**
   * The next flow that a user can choose instead of the current one. The first flow follows the
   * last.
   */
  get otherFlow(): AuthFlow | undefined {
    const { flows, completed } = this.#state;
    const { inputs = {}, supportedStages } = this.#options;
    const choice = choosableFlows(flows, { inputs, supportedStages, completed });
    const stage = this.#flow && nextStage(this.#flow, completed);
    const index = choice.findIndex((flow) => nextStage(flow, completed) === stage);
    return choice.length > 1 ? choice[(index + 1) % choice.length] : undefined;
  }

  chooseOtherFlow(): void {
    this.#flow = this.otherFlow ?? this.#flow;
  }

  withSession(authDict: AuthDict): AuthDict {
    return { ...authDict, ...this.resumption };
  }

  /**
   * Undefined if every stage is completed. @throws {NoAuthFlowFoundError} if no flow can use the
   * inputs.
   */
  next(): string | undefined {
    const { flows, completed } = this.#state;
    const stage = this.#flow && nextStage(this.#flow, completed);
    if (stage !== undefined) return stage;
    const { inputs = {}, supportedStages } = this.#options;
    // An address whose validation has started counts as given.
    const emailAddress = this.#email.address ?? this.#email.sid;
    const choice = { inputs: { ...inputs, emailAddress }, supportedStages, completed };
    this.#flow = chooseFlow(flows, choice);
    return nextStage(this.#flow, completed);
  }
}
