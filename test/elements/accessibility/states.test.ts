// axe, and what axe does not look for, in every state of every element, in every mode: WCAG 2.2 AA.
import { expect } from "@open-wc/testing";
import { whatIsWrong } from "./check.js";
import { leaveModes } from "./modes.js";
import {
  CALLBACK_STATES,
  DIALOG_STATES,
  FRAME_STATES,
  LOGIN_STATES,
  begin,
  end,
  type State,
} from "./states.js";

const ELEMENTS: Readonly<Record<string, readonly State[]>> = {
  "oidc-login": LOGIN_STATES,
  "oidc-callback": CALLBACK_STATES,
  "uia-dialog": DIALOG_STATES,
  "uia-fallback-frame": FRAME_STATES,
};

for (const [tag, states] of Object.entries(ELEMENTS)) {
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
