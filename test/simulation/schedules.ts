import fc from "fast-check";
import { ACTIONS, EVENTS, type Setup, Simulation, TABS } from "./simulation.ts";

/** A schedule: where sessions are, and what happens. */
export type Schedule = readonly [setup: Setup, steps: readonly string[]];

/** Which of the tasks that are ready run next. */
const run = fc
  .array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 9, size: "max" })
  .map((choices) => `run ${choices.join(" ")}`);

/** What changes a session is more frequent. */
const OFTEN = ["refresh", "sign out"] as const;

const action = fc
  .tuple(fc.constantFrom(...TABS), fc.constantFrom(...ACTIONS, ...OFTEN, ...OFTEN))
  .map((words) => words.join(" "));

const step = fc.oneof(
  { weight: 6, arbitrary: run },
  { weight: 5, arbitrary: action },
  { weight: 1, arbitrary: fc.constantFrom(...EVENTS) },
);

const setup: fc.Arbitrary<Setup> = fc.record({
  kind: fc.constantFrom("oauth", "legacy"),
  store: fc.constantFrom("localStorage", "indexedDB", "custom", "files", "moving"),
  hasLocks: fc.boolean(),
  isDeaf: fc.nat(5).map((choice) => choice === 5),
  isUsed: fc.boolean(),
});

const schedule: fc.Arbitrary<Schedule> = fc.tuple(
  setup,
  fc.array(step, { maxLength: 24, size: "max" }),
);

/** @throws {Violation} Also if the code of a page throws where nothing catches it. */
export async function play([where, steps]: Schedule): Promise<void> {
  let unhandled: unknown;
  const note = (error: unknown) => (unhandled ??= error);
  process.on("unhandledRejection", note);
  try {
    await new Simulation(where).play(steps);
    if (unhandled) throw unhandled;
  } finally {
    process.off("unhandledRejection", note);
  }
}

/**
 * Plays random schedules.
 *
 * @param onPlayed Called after each one.
 * @throws with the seed, the path, and the shortest schedule that fails.
 */
export const explore = (
  options: Pick<fc.Parameters, "seed" | "path" | "numRuns">,
  onPlayed: () => void,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(schedule, (each) => play(each).then(onPlayed)),
    options,
  );
