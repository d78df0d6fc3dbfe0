import { AuthType } from "./auth-type.js";
import type { AuthFlow } from "./challenge.js";
import { NoAuthFlowFoundError } from "./errors.js";

/** What a flow is chosen by, and completed with. */
export interface IInputs {
  /** Prefers flows that verify an e-mail address. */
  readonly emailAddress?: string | undefined;
  /** Two letters (ISO 3166-1 alpha-2): the country that a number without prefix belongs to. */
  readonly phoneCountry?: string | undefined;
  /** Prefers flows that verify a phone number. */
  readonly phoneNumber?: string | undefined;
  readonly registrationToken?: string | undefined;
}

export interface Choice {
  readonly inputs: IInputs;
  /** Stages that the caller has a view for, beside the one that needs none; undefined: all alike. */
  readonly supportedStages: readonly string[] | undefined;
  readonly completed: ReadonlySet<string>;
}

/** A stage without a view costs as much as so many that have one: it leads to a fallback page. */
const FALLBACK_COST = 10;

/**
 * Chooses the flow that uses the most of what was given, then the one that asks for the fewest
 * addresses that were not given, then the shortest; where all that is equal, the homeserver's first.
 *
 * @throws {NoAuthFlowFoundError} where there is no flow, or none that can use an address or a number
 *   that was given.
 */
export function chooseFlow(flows: readonly AuthFlow[], choice: Choice): AuthFlow {
  const given = givenStages(choice.inputs);
  const unusable = given.filter((stage) => !flows.some(({ stages }) => stages.includes(stage)));
  const [best] = flows
    .map((flow) => ({ flow, rank: rank(flow, given, choice) }))
    .sort((a, b) => compare(a.rank, b.rank));
  if (!best || unusable.length > 0) {
    throw new NoAuthFlowFoundError(
      "No appropriate authentication flow found",
      best ? unusable : given,
      flows,
    );
  }
  return best.flow;
}

/** The first stage of a flow that is not completed. The order of `completed` says nothing. */
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

/** Less is better, the first number before the second. */
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
    // Completed, and not enough for this homeserver.
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
