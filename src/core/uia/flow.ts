import { textIn, toJson } from "../http/json.js";
import {
  type AuthDict,
  type AuthFlow,
  AuthType,
  type IInputs,
  type InteractiveAuthOptions,
} from "./options.js";
import { NoAuthFlowFoundError } from "./errors.js";
import { type Challenge, type Failure, readChallenge } from "./failure.js";

/** A stage without a view leads to a fallback page. It counts as this many stages with a view. */
const FALLBACK_COST = 10;

/** If a 401 without flows has one of these codes, it is about the access token, not the stage. */
const TOKEN_ERRORS: readonly (string | undefined)[] = [
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_LOCKED",
  "M_USER_DEACTIVATED",
];

export class FlowProgress {
  readonly #options: InteractiveAuthOptions<unknown>;
  /** Null before the first response, or if the homeserver has no sessions. */
  id: string | null;
  flows: readonly AuthFlow[] = [];
  params: ReadonlyMap<string, unknown> = new Map();
  completed: ReadonlySet<string> = new Set();
  /** The flow that was chosen. */
  flow: AuthFlow | undefined;

  /** Without `authData` and `sessionId`, it is a new session. */
  constructor(
    options: InteractiveAuthOptions<unknown>,
    { authData, sessionId }: Pick<InteractiveAuthOptions<unknown>, "authData" | "sessionId"> = {},
  ) {
    this.#options = options;
    this.id = sessionId ?? textIn(authData?.session) ?? null;
    const challenge = authData && readChallenge({ ...authData });
    if (challenge) this.apply({ ...challenge, session: undefined });
  }

  get resumption(): AuthDict | null {
    return this.id === null ? null : { session: this.id };
  }

  /**
   * Missing members of the challenge leave the progress unchanged. @returns Whether the session is
   * new.
   */
  apply({ session, flows, params, completed }: Challenge): boolean {
    const isNew = session !== undefined && session !== this.id;
    if (isNew) {
      this.id = session;
      this.completed = new Set();
    }
    if (params) this.params = new Map(Object.entries(params));
    if (completed) this.completed = completed;
    if (flows.length > 0 && toJson(this.flows) !== toJson(flows)) {
      this.flow = undefined;
      this.flows = flows;
    }
    return isNew;
  }

  /** For a 401 without flows, the known flows still apply. Undefined for any other failure. */
  repeatedBy({ status, errcode, error }: Failure): Challenge | undefined {
    const { flows, completed } = this;
    if (status !== 401 || flows.length === 0 || TOKEN_ERRORS.includes(errcode)) return undefined;
    return { flows, params: undefined, session: undefined, completed, errcode, error };
  }

  /**
   * The next stage, after the choice of a flow if that is necessary; undefined if every stage is
   * completed.
   *
   * @param knownEmail The last address, or the ID of its validation. It replaces the address in the
   *   inputs.
   * @throws {NoAuthFlowFoundError} if the homeserver offers no flow, or no flow that can use the
   * given address or phone number.
   */
  next(knownEmail: string | undefined): string | undefined {
    const { flows } = this;
    const stage = this.#nextStageOf(this.flow);
    if (stage !== undefined) return stage;
    const given = givenStages({ ...this.#options.inputs, emailAddress: knownEmail });
    const unusable = given.filter((each) => !flows.some(({ stages }) => stages.includes(each)));
    const [best] = this.#rankedFlows(given);
    if (!best || unusable.length > 0) {
      throw new NoAuthFlowFoundError("No appropriate authentication flow found", unusable, flows);
    }
    this.flow = best;
    return this.#nextStageOf(best);
  }

  /**
   * The next flow that a user can choose instead of the current one: it continues with another
   * stage, and uses all given inputs. The first flow follows the last.
   */
  get otherFlow(): AuthFlow | undefined {
    const given = givenStages(this.#options.inputs);
    const choice = new Map<string, AuthFlow>();
    for (const flow of this.#rankedFlows(given)) {
      const stage = this.#nextStageOf(flow);
      const isUsable = given.every((each) => flow.stages.includes(each));
      if (isUsable && stage !== undefined && !choice.has(stage)) choice.set(stage, flow);
    }
    const current = [...choice.keys()].indexOf(this.#nextStageOf(this.flow) ?? "");
    return choice.size > 1 ? [...choice.values()][(current + 1) % choice.size] : undefined;
  }

  /** The order of `completed` is irrelevant. */
  #nextStageOf(flow: AuthFlow | undefined): string | undefined {
    return flow?.stages.find((stage) => !this.completed.has(stage));
  }

  /**
   * Ranks the flows: first those that use most of the given inputs, then those that require the
   * fewest other addresses, then the shortest, then by the homeserver's order.
   */
  #rankedFlows(given: readonly string[]): readonly AuthFlow[] {
    const { supportedStages } = this.#options;
    /** Lower is better. */
    const rankOf = ({ stages }: AuthFlow): readonly number[] => {
      const left = stages.filter((stage) => !this.completed.has(stage));
      const unsupported = left.filter(
        (stage) => stage !== AuthType.Dummy && supportedStages?.includes(stage) === false,
      );
      const asked = left.filter((stage) => stage === AuthType.Email || stage === AuthType.Msisdn);
      return [
        // All its stages are completed, but the homeserver still requires authentication.
        left.length === 0 ? 1 : 0,
        -given.filter((stage) => stages.includes(stage)).length,
        asked.filter((stage) => !given.includes(stage)).length,
        left.length + FALLBACK_COST * unsupported.length,
      ];
    };
    return [...this.flows].sort((a, b) => compareRanks(rankOf(a), rankOf(b)));
  }
}

const givenStages = ({ emailAddress, phoneCountry, phoneNumber }: IInputs = {}): string[] => [
  ...(emailAddress ? [AuthType.Email] : []),
  ...(phoneCountry && phoneNumber ? [AuthType.Msisdn] : []),
];

/** The first difference decides. */
const compareRanks = (a: readonly number[], b: readonly number[]): number =>
  a.map((value, index) => value - (b[index] ?? 0)).find(Boolean) ?? 0;
