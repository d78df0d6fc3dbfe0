import type { AuthDict } from "../auth-dict.js";
import { isText } from "../http/json.js";
import { readChallenge, type AuthFlow, type Challenge, type Failure } from "./challenge.js";
import type { EmailValidation } from "./email-validation.js";
import { choosableFlows, chooseFlow, nextStage } from "./flow-choice.js";
import type { InteractiveAuthOptions } from "./interactive-auth-options.js";
import { applyChallenge, noProgress, sameFlows, type UiaProgress } from "./uia-progress.js";

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
