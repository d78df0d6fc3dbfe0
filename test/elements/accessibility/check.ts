import type Axe from "axe-core";
import "axe-core/axe.min.js";
import {
  MODES,
  enter,
  visibleElements,
  whatIsTooSmall,
  whatOverflows,
  type Mode,
} from "./modes.js";

declare const axe: typeof Axe;

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

async function whatAxeFinds({ axeRules }: Mode): Promise<string[]> {
  if (axeRules?.length === 0) return [];
  const { violations, incomplete } = await axe.run(document, {
    runOnly: axeRules ? { type: "rule", values: [...axeRules] } : { type: "tag", values: TAGS },
    resultTypes: ["violations", "incomplete"],
    // The content of a frame belongs to another site.
    iframes: false,
  });
  // A contrast that could not be measured is not good enough.
  const unmeasured = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unmeasured].flatMap(({ id, nodes }) =>
    nodes
      // To axe a text is overlapped by a `<bdi>` in it.
      .filter(({ any }) => any[0]?.data?.messageKey !== "bgOverlap")
      .map(
        ({ html, any }) =>
          `${id}: ${html.replace(/\s*<!--.*?-->\s*/g, "")} ${any[0]?.message ?? ""}`,
      ),
  );
}

/** The barriers of a page in each mode: axe's rules of WCAG 2.2 AA, and more. */
export async function whatIsWrong(): Promise<string[]> {
  const problems: string[] = [];
  for (const mode of MODES) {
    await enter(mode);
    // An opening animation must end first.
    for (const animation of [...visibleElements()].flatMap((each) => each.getAnimations())) {
      if (animation instanceof CSSTransition) animation.finish();
    }
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
