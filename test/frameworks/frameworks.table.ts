import type { Routes } from "../docs/quick-start.js";

/** Frameworks set no inline scripts or styles. */
export const POLICY = "default-src 'self'; connect-src 'self' http://localhost:*";

/** The browser itself logs a rejected request, which no page can prevent. */
export const REFUSAL = /^Failed to load resource: the server responded with a status of (401|404)/;

/** A small app in the demo. */
export interface App {
  readonly name: string;
  /** The folder of its sources. */
  readonly app: string;
  /** Whether the router's path is in the URL's path, or after `#`. Without a router, each page is loaded. */
  readonly router: "history" | "hash" | "none";
  /** Its content security policy, unless its page has one. */
  readonly policy?: string;
  /** The command that serves it, if a server renders its pages. */
  readonly serve?: readonly [command: string, ...args: string[]];
}

export interface Framework extends Partial<Omit<App, "name">> {
  readonly name: string;
  /** The folder of its built contract page. */
  readonly contract: string;
  /** Whether properties reach an element that is defined after it was rendered. */
  readonly lateProperties: boolean;
  /** Whether a server renders it too. */
  readonly server: boolean;
  /** Whether its components register the elements, so that no element is defined after it was rendered. */
  readonly registers?: boolean;
}

/** Frameworks with an app in the demo, and a separate page of the contract. */
const inDemo = (folder: string, router: "history" | "hash"): Omit<App, "name"> & Pick<Framework, "contract"> => ({
  app: `demo/${folder}`,
  router,
  policy: POLICY,
  contract: `test/frameworks/${folder}/contract/dist`,
});

const ALL: Readonly<Record<string, Framework | readonly Framework[]>> = {
  vue: { name: "Vue", ...inDemo("vue", "history"), lateProperties: true, server: true },
  react: { name: "React", ...inDemo("react", "hash"), lateProperties: false, server: true },
  "react-components": [18, 19].map((version) => ({
    name: `React ${version}'s components`,
    contract: `test/frameworks/react-components/dist/react-${version}`,
    lateProperties: true,
    server: version === 18,
    registers: true,
  })),
  svelte: { name: "Svelte", ...inDemo("svelte", "hash"), lateProperties: true, server: true },
  preact: { name: "Preact", contract: "test/frameworks/preact/dist", lateProperties: false, server: true },
  solid: { name: "Solid", contract: "test/frameworks/solid/dist", lateProperties: true, server: true },
  angular: { name: "Angular", ...inDemo("angular", "history"), lateProperties: true, server: false },
};

/** Frameworks with their own router and server. */
const WHOLE: Readonly<Record<string, App>> = {
  sveltekit: { name: "SvelteKit", app: "demo/sveltekit", router: "history" },
  nuxt: { name: "Nuxt", app: "demo/nuxt", router: "history", serve: ["node", ".output/server/index.mjs"] },
  next: { name: "Next", app: "demo/next", router: "history", serve: ["next", "start", "--hostname", "localhost", "--port", "0"] },
  astro: { name: "Astro", app: "demo/astro", router: "none", serve: ["astro", "preview", "--host", "localhost", "--port", "0"] },
};

/** A page of docs/get-started, and its app. */
export interface QuickStartPage {
  readonly page: string;
  /** The file with `<matrix-login>`. */
  readonly edited: string;
  /** Further arguments of the app's command, for a free port. */
  readonly options?: readonly string[];
  /** Whether a page reads an edited file only after a reload. */
  readonly isStatic?: boolean;
  /** The file of a further page, if a server renders the components. */
  readonly rendered?: string;
  /** The folder whose package.json sets the versions of the packages. Default: the framework's in demo/. */
  readonly versions?: string;
  /** The part of the documentation that adds a router to the app. It is tested after the app. */
  readonly routes?: Routes;
  /** A page that adds an account page to the app. Only this is tested then. */
  readonly accountPage?: string;
}

/** The quick starts of the frameworks. test/release has the others, such as Lit's. */
export const QUICK_STARTS: Readonly<Record<string, QuickStartPage>> = {
  vue: { page: "docs/get-started/vue.md", edited: "src/App.vue", routes: { page: "docs/get-started/vue.md", heading: "Protect routes with vue-router" } },
  react: { page: "docs/get-started/react.md", edited: "src/SignIn.tsx", routes: { page: "docs/guides/react-router.md" } },
  "react-components": {
    page: "docs/get-started/react.md",
    edited: "src/SignIn.tsx",
    versions: "test/frameworks/react-components",
    accountPage: "docs/guides/react-account-page.md",
  },
  svelte: {
    page: "docs/get-started/svelte.md",
    edited: "src/App.svelte",
    routes: { page: "docs/get-started/svelte.md", heading: "Protect routes with svelte-spa-router" },
  },
  solid: { page: "docs/get-started/solid.md", edited: "src/App.tsx", versions: "test/frameworks/solid" },
  preact: { page: "docs/get-started/preact.md", edited: "src/App.tsx", versions: "test/frameworks/preact" },
  angular: { page: "docs/get-started/angular.md", edited: "src/app.ts", options: ["--port", "0"] },
  next: { page: "docs/get-started/nextjs.md", edited: "app/page.jsx", options: ["--port", "0"], rendered: "app/elements/page.jsx" },
  nuxt: { page: "docs/get-started/nuxt.md", edited: "app/app.vue", options: ["--port", "0"] },
  sveltekit: { page: "docs/get-started/sveltekit.md", edited: "src/routes/+page.svelte" },
  astro: { page: "docs/get-started/astro.md", edited: "src/pages/index.astro", options: ["--port", "0"], isStatic: true },
};

/** The frameworks to test, which `npm test frameworks` has built. */
export const chosen = process.env["FRAMEWORKS"]?.split(" ") ?? [...Object.keys(ALL), ...Object.keys(WHOLE)];

export const FRAMEWORKS: readonly Framework[] = chosen.flatMap((name) => ALL[name] ?? []);

/** Preact, Solid and the components for React have only a contract page. */
export const APPS: readonly App[] = [
  ...FRAMEWORKS.filter((framework): framework is Framework & App => framework.app !== undefined),
  ...chosen.flatMap((name) => WHOLE[name] ?? []),
];
