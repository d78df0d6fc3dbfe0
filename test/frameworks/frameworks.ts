export interface Framework {
  readonly name: string;
  /** Where its app is built to. */
  readonly app: string;
  /** Where its page of the contract is built to. */
  readonly contract: string;
  /** Where the README's block for it is built to, if there is one. */
  readonly readme?: string;
  /** Whether properties reach an element that is defined only after it was rendered. */
  readonly lateProperties: boolean;
  /** Whether it is rendered on a server too. */
  readonly server: boolean;
}

/** An app of the demo, and its page of the contract. */
const inDemo = (folder: string): Pick<Framework, "app" | "contract" | "readme"> => ({
  app: `demo/${folder}/dist`,
  contract: `test/frameworks/${folder}/contract/dist`,
  readme: `test/frameworks/${folder}/readme/dist`,
});

/** An app that is only a test. */
const here = (folder: string): Pick<Framework, "app" | "contract"> => ({
  app: `test/frameworks/${folder}/dist`,
  contract: `test/frameworks/${folder}/contract/dist`,
});

const ALL: Readonly<Record<string, Framework>> = {
  vue: { name: "Vue", ...inDemo("vue"), lateProperties: true, server: true },
  react: { name: "React", ...inDemo("react"), lateProperties: false, server: true },
  svelte: { name: "Svelte", ...inDemo("svelte"), lateProperties: true, server: true },
  preact: { name: "Preact", ...here("preact"), lateProperties: false, server: true },
  solid: { name: "Solid", ...here("solid"), lateProperties: true, server: true },
  angular: { name: "Angular", ...inDemo("angular"), lateProperties: true, server: false },
};

const chosen = process.env["FRAMEWORKS"]?.split(" ") ?? Object.keys(ALL);

/** The frameworks to test: those that `npm run test:frameworks` has built. */
export const FRAMEWORKS: readonly Framework[] = chosen.flatMap((name) => ALL[name] ?? []);
