// `npm run site`: builds the site from the documentation in dist/site/. `--serve` then serves it on loopback;
// `--base /docs/` builds it for that folder of a host. VitePress finds dead links between pages; this script
// finds those to headings and files too.
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPages } from "../../demo/server/pages.js";
import { coreReference } from "../docs/core.mjs";
import { buildPlayground } from "./playground/build.mjs";
import { installPackages } from "../../scripts/packages.mjs";

const OUTPUT = "dist/site";

const { values } = parseArgs({
  options: {
    base: { type: "string", default: "/" },
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "8090" },
  },
});
const base = `/${values.base}/`.replace(/\/{2,}/g, "/");

await mkdir("docs/reference/core", { recursive: true });
for (const [topic, page] of await coreReference()) {
  await writeFile(`docs/reference/core/${topic}.md`, `---\neditLink: false\n---\n\n${page}`);
}
await installPackages("tools/site");
const options = /** @type {const} */ ({ cwd: "tools/site", stdio: "inherit" });
execFileSync("node_modules/.bin/vitepress", ["build", "--base", base], options);
await buildPlayground(join(OUTPUT, "playground"));
// For language models, with the site's pages instead of the repository's files.
const index = await readFile("llms.txt", "utf8");
await writeFile(
  join(OUTPUT, "llms.txt"),
  index.replaceAll(/\]\((\S+)\.md\)/g, "]($1.html)").replace("](README.html)", "](index.html)"),
);
// GitHub Pages omits paths that start with an underscore, unless this file exists.
await writeFile(join(OUTPUT, ".nojekyll"), "");
const dead = await deadLinks();
if (dead.length > 0) {
  console.error(`✖ Dead links:\n${dead.join("\n")}`);
  process.exitCode = 1;
} else console.log(`${OUTPUT}/ is to be served at ${base}`);
if (values.serve) {
  const port = Number(values.port);
  const pages = await startPages({ port, hostname: "127.0.0.1", roots: { [base]: OUTPUT } });
  console.log(`${pages.origin}${base}`);
}

/** @returns {Promise<string[]>} The dead links as `page → target`. */
async function deadLinks() {
  const files = await readdir(OUTPUT, { recursive: true });
  /** @type {Map<string, { ids: Set<string>, targets: string[] }>} */
  const pages = new Map();
  for (const file of files.filter((each) => each.endsWith(".html"))) {
    const html = await readFile(join(OUTPUT, file), "utf8");
    pages.set(`${base}${file}`, {
      ids: new Set(attributes(html, "id")),
      targets: [...attributes(html, "href"), ...attributes(html, "src")],
    });
  }
  const present = new Set(files.map((file) => `${base}${file}`));
  return [...pages].flatMap(([page, { targets }]) =>
    targets
      .filter((target) => {
        const url = new URL(target, `http://site.invalid${page}`);
        if (url.host !== "site.invalid") return false;
        const path = decodeURI(url.pathname).replace(/\/$/, "/index.html");
        const id = decodeURIComponent(url.hash.slice(1));
        // The playground's fragment contains the reader's choices.
        const isHeading = id !== "" && !path.endsWith("/playground/index.html");
        return !present.has(path) || (isHeading && !pages.get(path)?.ids.has(id));
      })
      .map((target) => `${page} → ${target}`),
  );
}

/**
 * @param {string} html
 * @param {string} name
 */
function attributes(html, name) {
  const found = html.matchAll(new RegExp(`<[a-z][^>]*\\s${name}="([^"]*)"`, "g"));
  return [...found].map(([, value = ""]) => value.replaceAll("&amp;", "&"));
}
