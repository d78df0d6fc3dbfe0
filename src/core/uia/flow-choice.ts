import { AuthType } from "./auth-type.js";
import type { AuthFlow } from "./challenge.js";
import { NoAuthFlowFoundError } from "./errors.js";

/** The inputs by which a flow is chosen and with which it is completed. */
export interface IInputs {
  /** Prefers flows that verify an email address. */
  readonly emailAddress?: string | undefined;
  /** Two letters (ISO 3166-1 alpha-2): the country of a phone number without an international prefix. */
  readonly phoneCountry?: string | undefined;
  /** Prefers flows that verify a phone number. */
  readonly phoneNumber?: string | undefined;
  readonly registrationToken?: string | undefined;
}

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
