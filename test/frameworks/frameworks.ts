export interface Framework {
  readonly name: string;
  /** Where its app is built to. */
  readonly dist: string;
}

const ALL: Readonly<Record<string, Framework>> = {
  vue: { name: "Vue", dist: "demo/vue/dist" },
};

const chosen = process.env["FRAMEWORKS"]?.split(" ") ?? Object.keys(ALL);

/** The frameworks to test: those that `scripts/test-frameworks.mjs` has built. */
export const FRAMEWORKS: readonly Framework[] = chosen.flatMap((name) => ALL[name] ?? []);
