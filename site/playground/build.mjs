// The playground: static files of their own, outside the site's generator, with their own policy.
import { cp, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { STAGES } from "./scenarios.js";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Where a static host is asked for a page of the homeserver or its provider. */
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
    ...new Set(STAGES.flatMap(({ flows }) => flows.flat()).map((stage) => fallbackPath(stage))),
  ].map((path) => `homeserver/_matrix/client/${path}/index.html`),
];

/** @param {string} stage */
function fallbackPath(stage) {
  return `v3/auth/${stage}/fallback/web`;
}

/**
 * @param {string} output The playground's folder.
 */
export async function buildPlayground(output) {
  await build({
    entryPoints: ["index.js", "preview.js", "visit.js"].map((name) => join(SOURCE, name)),
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
  for (const name of [
    "index.html",
    "preview.html",
    "style.css",
    "layout.css",
    "controls.css",
    "pages.css",
  ]) {
    await cp(join(SOURCE, name), join(output, name));
  }
  const visit = await readFile(join(SOURCE, "visit.html"), "utf8");
  for (const path of VISITED) {
    const file = join(output, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, visit.replaceAll("{root}", relative(dirname(path), ".") || "."));
  }
}

/**
 * @typedef {{ name: string, type?: { text: string }, default?: string, description?: string }} Member
 * @typedef {object} Declaration
 * @property {string} [tagName]
 * @property {string} [summary]
 * @property {Member[]} [attributes]
 * @property {Member[]} [events]
 * @property {Member[]} [slots]
 * @property {Member[]} [cssParts]
 * @property {Member[]} [cssProperties]
 */

/** What the playground has a control for, from the manifest. */
async function readElements() {
  /** @type {{ modules: { declarations?: Declaration[] }[] }} */
  const { modules } = JSON.parse(await readFile(join(ROOT, "custom-elements.json"), "utf8"));
  const found = modules
    .flatMap(({ declarations = [] }) => declarations)
    .filter(({ tagName }) => tagName);
  const list = (/** @type {Member[]} */ members = []) =>
    members.map(({ name, type, default: initial, description = "" }) => ({
      name,
      description,
      ...(type && { type: type.text }),
      ...(initial !== undefined && { default: initial }),
    }));
  return Object.fromEntries(
    found.map((each) => [
      each.tagName,
      {
        summary: each.summary,
        attributes: list(each.attributes),
        events: list(each.events),
        slots: list(each.slots),
        parts: list(each.cssParts),
        tokens: list(each.cssProperties),
      },
    ]),
  );
}

/** Language tags, beside English. */
const readLanguages = async () =>
  (await readdir(join(ROOT, "dist/cdn/locales")))
    .map((name) => /^([\w-]+)\.js$/.exec(name)?.[1])
    .filter((tag) => tag !== undefined);

/** The English texts, by their names. */
async function readTexts() {
  const folder = join(ROOT, "dist/locales");
  const files = (await readdir(folder)).filter((name) => /^en.*\.js$/.test(name));
  const modules = await Promise.all(files.map((name) => import(join(folder, name))));
  const texts = modules
    .flatMap((module) => Object.values(module))
    .filter((value) => typeof value === "object" && value !== null)
    .flatMap((value) => Object.entries(value))
    .filter(([name, text]) => typeof text === "string" && !name.startsWith("$"));
  return Object.fromEntries(texts);
}
