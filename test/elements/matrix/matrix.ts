// Shows each state of an element in each surrounding, and checks what must hold.
import { expect } from "@open-wc/testing";
import { executeServerCommand } from "@web/test-runner-commands";
import { applies, whatTheTableMisses } from "./controls.js";
import {
  eventually,
  hasEnded,
  remember,
  settled,
  typeEverywhere,
  untilIdle,
  watchPage,
  watchShifts,
  whatChanged,
  whatIsBroken,
  whatWasLost,
} from "./invariants.js";
import { HOMESERVER } from "../support/test-servers.js";
import { controlsOf, fieldsOf, focusedIn } from "./page.js";
import { STATES, begin, end, showAt, shownElement, type State } from "./states.js";
import { SURROUNDINGS, type Surrounding } from "./surroundings.js";

/** A layout shift from which on a user loses the place (https://web.dev/articles/cls). */
const LARGE_SHIFT = 0.1;

async function whatGoesWrong(
  tag: string,
  state: State,
  surrounding: Surrounding,
): Promise<string[]> {
  const problems = watchPage();
  await surrounding.arrange?.();
  if (surrounding.place) showAt(surrounding.place);
  await state.show();
  const element = shownElement();
  await settled(element);
  const found = whatTheTableMisses(tag, state, element);
  if (surrounding.happens) {
    typeEverywhere(element, surrounding.submits ? HOMESERVER : "typed by the user");
    (fieldsOf(element).at(-1) ?? controlsOf(element)[0])?.focus();
    await settled(element);
    const before = remember(element, !surrounding.forgetsSecrets);
    const shift = watchShifts();
    found.push(...((await surrounding.happens(element, before)) ?? []));
    await (surrounding.submits ? untilIdle(element) : settled(element));
    // A dialog that opens does not take the focus from someone who types.
    if (before.focus) await eventually(() => !!focusedIn(element) || hasEnded(element));
    found.push(...(surrounding.submits ? whatWasLost : whatChanged)(element, before, surrounding));
    if (!surrounding.moves && shift() > LARGE_SHIFT)
      found.push(`the layout shifts by ${shift().toFixed(2)}`);
  }
  found.push(...(await whatIsBroken(element)), ...problems());
  return found;
}

/** Each state's share of the surroundings: together, the states of an element meet all of them. */
const shareOf = (
  surroundings: readonly Surrounding[],
  nth: number,
  whole: boolean,
): readonly Surrounding[] =>
  whole ? surroundings : surroundings.filter((_, index) => (index + nth) % 5 === 0);

export async function testMatrix(tag: string): Promise<void> {
  const whole = (await executeServerCommand("environment", "MATRIX")) === "whole";
  describe(`<${tag}> in all surroundings`, () => {
    // A dialog that fades out is still there.
    before(() => executeServerCommand("emulate-features", { "prefers-reduced-motion": "reduce" }));
    beforeEach(begin);
    afterEach(async () => {
      await end();
      // Each command is a round trip to the test runner.
      if (matchMedia("(pointer: coarse)").matches) {
        await executeServerCommand("emulate-touch", false);
      }
    });
    after(() => executeServerCommand("emulate-features", {}));

    for (const [nth, state] of (STATES[tag] ?? []).entries()) {
      const surroundings = SURROUNDINGS.filter(({ needs }) => applies(tag, state, needs));
      for (const surrounding of shareOf(surroundings, nth, whole)) {
        it(`${state.name}, ${surrounding.name}`, async () => {
          expect(await whatGoesWrong(tag, state, surrounding)).to.deep.equal([]);
        });
      }
    }
  });
}
