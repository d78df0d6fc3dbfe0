import type Axe from "axe-core";
import "axe-core/axe.min.js";
import {
  MODES,
  enter,
  ourVisibleElements,
  visibleElements,
  whatIsNarrow,
  whatIsTooSmall,
  whatOverflows,
  type Mode,
} from "./modes.js";

declare const axe: typeof Axe;

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Finds violations of axe's rules. */
export async function whatAxeFinds({ axeRules }: Mode): Promise<string[]> {
  if (axeRules?.length === 0) return [];
  // axe must not measure the colors of an opening animation.
  for (const animation of visibleElements().flatMap((each) => each.getAnimations())) {
    if (animation instanceof CSSTransition) animation.finish();
  }
  const { violations, incomplete } = await axe.run(document, {
    runOnly: axeRules ? { type: "rule", values: [...axeRules] } : { type: "tag", values: TAGS },
    resultTypes: ["violations", "incomplete"],
    // A frame's content belongs to another site.
    iframes: false,
  });
  // axe must be able to measure every contrast.
  const unmeasured = incomplete.filter(({ id }) => id === "color-contrast");
  return [...violations, ...unmeasured].flatMap(({ id, nodes }) =>
    nodes
      // axe reports that a `<bdi>` overlaps the text around it.
      .filter(({ any }) => any[0]?.data?.messageKey !== "bgOverlap")
      .map(
        ({ html, any }) =>
          `${id}: ${html.replace(/\s*<!--.*?-->\s*/g, "")} ${any[0]?.message ?? ""}`,
      ),
  );
}

/** Finds a page's accessibility problems in each mode: axe's WCAG 2.2 AA rules, and those of modes.ts. */
export async function whatIsWrong(): Promise<string[]> {
  const problems: string[] = [];
  for (const mode of MODES) {
    await enter(mode);
    const axeFinds = await whatAxeFinds(mode);
    const ours = ourVisibleElements();
    const found = [
      ...axeFinds,
      ...whatOverflows(ours),
      ...whatIsTooSmall(ours),
      ...whatIsNarrow(ours),
      ...(mode.check?.(ours) ?? []),
    ];
    problems.push(...found.map((problem) => `${mode.name}: ${problem}`));
  }
  return problems;
}
