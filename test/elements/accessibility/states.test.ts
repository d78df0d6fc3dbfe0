// WCAG 2.2 AA in every state of every element, in every mode: axe's rules and ours.
import { expect } from "@open-wc/testing";
import { whatIsWrong } from "./check.js";
import { MODES, enter, leaveModes, visibleElements } from "./modes.js";
import { STATES, begin, end, shownElement } from "../matrix/states.js";

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

/** The lines of a text. */
function linesOf(text: Element): string[] {
  const lines: string[] = [];
  const range = document.createRange();
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  let bottom = Number.NEGATIVE_INFINITY;
  while (nodes.nextNode()) {
    const { data } = nodes.currentNode as Text;
    for (let index = 0; index < data.length; index += 1) {
      range.setStart(nodes.currentNode, index);
      range.setEnd(nodes.currentNode, index + 1);
      const { top, height } = range.getBoundingClientRect();
      if (top > bottom) lines.push("");
      bottom = Math.max(bottom, top + height / 2);
      lines.push(`${lines.pop() ?? ""}${data[index] ?? ""}`);
    }
  }
  return lines;
}

describe("On a small screen with large text", () => {
  beforeEach(begin);
  afterEach(async () => {
    await leaveModes();
    await end();
  });

  it("<matrix-account> wraps user IDs and addresses only at their punctuation", async () => {
    await enter(MODES.find((mode) => mode.name === "320 px and 200 % text") ?? { name: "" });
    const name = "everything that a homeserver offers";
    await STATES["matrix-account"]?.find((each) => each.name === name)?.show();
    const { shadowRoot } = shownElement();
    const lines = [...visibleElements(shadowRoot ?? document.body)]
      .filter((each) => each.matches("bdi[dir=ltr]") && each.textContent.includes("@"))
      .map(linesOf);
    expect(lines).to.not.deep.equal([]);
    expect(lines.flatMap((each) => each.slice(0, -1)).join("\n")).to.match(/^(.*[@.:]\n?)+$/);
  });
});
