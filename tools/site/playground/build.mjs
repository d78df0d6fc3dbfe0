// Builds the playground: static files outside the site's generator, with a separate policy.
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { AuthType } from "../../../dist/core/index.js";
import { navigation, pagesOf } from "../../docs/nav.mjs";
import { ICON } from "../source.mjs";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Paths of the homeserver's and provider's pages on a static host. */
const VISITED = [
  "provider.html",
  "provider/account/index.html",
  ...[
    ...["registration", "add_threepid", "password_reset"].map(
      (purpose) => `unstable/${purpose}/email/submit_token`,
    ),
    ...["privacy", "terms"].flatMap((policy) =>
      ["en", "de", "fr"].map((language) => `unstable/policies/${policy}/${language}`),
    ),
    "v3/login/sso/redirect",
    "v3/login/sso/redirect/example-id",
    "v3/login/sso/redirect/example-work",
    ...[...Object.values(AuthType), "org.example.unknown"].map(
      (stage) => `v3/auth/${stage}/fallback/web`,
    ),
  ].map((path) => `homeserver/_matrix/client/${path}/index.html`),
];

/** @param {string} output The playground's folder. */
export async function buildPlayground(output) {
  await build({
    entryPoints: ["index.ts", "preview.ts", "visit.ts"].map((name) => join(SOURCE, name)),
    outdir: output,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    chunkNames: "chunks/[name]-[hash]",
    define: {
      ELEMENTS: JSON.stringify(await readElements()),
      LANGUAGES: JSON.stringify(await readLanguages()),
      TEXTS: JSON.stringify(await readTexts()),
    },
    logLevel: "warning",
  });
  const page = await readFile(join(SOURCE, "index.html"), "utf8");
  await writeFile(join(output, "index.html"), page.replaceAll("{icon}", ICON));
  for (const name of ["preview.html", "style.css", "pages.css"]) {
    await cp(join(SOURCE, name), join(output, name));
  }
  const pico = "../node_modules/@picocss/pico/css/pico.classless.min.css";
  await cp(join(SOURCE, pico), join(output, "pico.css"));
  const visit = await readFile(join(SOURCE, "visit.html"), "utf8");
  for (const path of VISITED) {
    const file = join(output, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, visit.replaceAll("{root}", relative(dirname(path), ".") || "."));
  }
}

/** The members with a control in the playground, by tag, from the manifest. */
async function readElements() {
  const { modules } = JSON.parse(await readFile(join(ROOT, "custom-elements.json"), "utf8"));
  /** @type {PlaygroundElement[]} */
  const declarations = modules.flatMap((/** @type {any} */ module) => module.declarations ?? []);
  const order = pagesOf(navigation).map(({ title }) => title);
  const elements = declarations
    .filter(({ tagName }) => tagName)
    .sort((a, b) => order.indexOf(a.tagName) - order.indexOf(b.tagName));
  return Object.fromEntries(
    elements.map(({ tagName, summary, attributes, events, slots, cssParts, cssProperties }) => [
      tagName,
      { summary, attributes, events, slots, cssParts, cssProperties },
    ]),
  );
}

/** Language tags, in addition to English. */
const readLanguages = async () =>
  (await readdir(join(ROOT, "dist/cdn/locales")))
    .map((name) => /^([\w-]+)\.js$/.exec(name)?.[1])
    .filter((tag) => tag !== undefined);

/** The English strings, by name. */
async function readTexts() {
  const { default: en } = await import(join(ROOT, "dist/locales/en.js"));
  return Object.fromEntries(Object.entries(en).filter(([name]) => !name.startsWith("$")));
}
