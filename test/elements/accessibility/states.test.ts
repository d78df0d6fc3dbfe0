// axe, and what axe does not look for, in every state of every element, in every mode: WCAG 2.2 AA.
import { expect } from "@open-wc/testing";
import { whatIsWrong } from "./check.js";
import { leaveModes } from "./modes.js";
import { STATES, begin, end } from "./states.js";

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
