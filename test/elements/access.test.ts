// axe, and what axe does not look for, in every state of every element, in every mode: WCAG 2.2 AA.
import { expect } from "@open-wc/testing";
import type Axe from "axe-core";
import "axe-core/axe.min.js";
import {
  MODES,
  enter,
  leaveModes,
  whatIsTooSmall,
  whatOverflows,
  type Mode,
} from "./access-modes.js";
import {
  CALLBACK_STATES,
  DIALOG_STATES,
  FRAME_STATES,
  LOGIN_STATES,
  begin,
  end,
  type State,
} from "./access-states.js";

declare const axe: typeof Axe;

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function whatAxeFinds({ media }: Mode): Promise<string[]> {
  const { violations, incomplete } = await axe.run(document, {
    runOnly: TAGS,
    rules: { "color-contrast": { enabled: !media?.["forced-colors"] } },
    resultTypes: ["violations", "incomplete"],
    // What is in a frame is somebody else's.
    iframes: false,
  });
  // A contrast that could not be measured is not good enough.
  const unmeasured = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unmeasured].flatMap(({ id, nodes }) =>
    nodes.map(
      ({ html, any }) => `${id}: ${html.replace(/\s*<!--.*?-->\s*/g, "")} ${any[0]?.message ?? ""}`,
    ),
  );
}

async function whatIsWrong(): Promise<string[]> {
  const problems: string[] = [];
  for (const mode of MODES) {
    await enter(mode);
    const found = [
      ...(await whatAxeFinds(mode)),
      ...whatOverflows(),
      ...whatIsTooSmall(),
      ...(mode.check?.() ?? []),
    ];
    problems.push(...found.map((problem) => `${mode.name}: ${problem}`));
  }
  return problems;
}

const ELEMENTS: Readonly<Record<string, readonly State[]>> = {
  "oidc-login": LOGIN_STATES,
  "oidc-callback": CALLBACK_STATES,
  "uia-dialog": DIALOG_STATES,
  "uia-fallback-frame": FRAME_STATES,
};

for (const [tag, states] of Object.entries(ELEMENTS)) {
  describe(`<${tag}> is accessible in every mode`, () => {
    beforeEach(begin);
    afterEach(async () => {
      await leaveModes();
      await end();
    });

    for (const { name, show } of states) {
      it(name, async () => {
        await show();
        expect(await whatIsWrong()).to.deep.equal([]);
      });
    }
  });
}
