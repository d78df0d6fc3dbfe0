// WCAG 2.2 AA in every state of every element, in every mode: axe's rules and ours.
import { expect } from "@open-wc/testing";
import { whatIsWrong } from "./check.js";
import { leaveModes } from "./modes.js";
import { STATES, begin, end } from "../matrix/states.js";

for (const [tag, states] of Object.entries(STATES)) {
  describe(`<${tag}>`, () => {
    beforeEach(begin);
    afterEach(async () => {
      await leaveModes();
      await end();
    });

    for (const { name, show } of states) {
      it(`<${tag}> is accessible in every mode: ${name}`, async () => {
        await show();
        expect(await whatIsWrong()).to.deep.equal([]);
      });
    }
  });
}
