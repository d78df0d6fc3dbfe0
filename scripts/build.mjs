// Builds the package: dist/ (npm), dist/cdn/ (script tags) and custom-elements.json. In npm scripts alone, the
// two last would not run side by side.
import { createHash } from "node:crypto";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { main, run } from "./run.mjs";

const BUNDLE = ["--config", "rollup.config.mjs", "--silent"];

await main(async () => {
  // The tarball has the files' modes: it is the same wherever it is built.
  process.umask(0o022);
  await rm("dist", { recursive: true, force: true });
  await run("TypeScript", "tsc");
  await Promise.all([
    run("Bundles", "rollup", BUNDLE),
    run("Bundles of one element each", "rollup", [...BUNDLE, "--configElements"]),
    run("Manifest", "custom-elements-manifest", [
      "analyze",
      "--config",
      "scripts/manifest.config.mjs",
      "--quiet",
    ]),
  ]);
  await Promise.all([writeIntegrity("dist/cdn"), writeLicenses("dist/cdn")]);
});

/**
 * Writes the hashes of a folder's scripts: `integrity.json` is an import map, by which browsers check what modules
 * import too; `integrity.html` is what a page in that folder needs of it for matrix-auth-elements.js.
 *
 * @param {string} folder
 */
async function writeIntegrity(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".js"));
  /** @type {Record<string, string>} */
  const integrity = {};
  for (const file of files.map((each) => each.replaceAll("\\", "/")).sort()) {
    const hash = createHash("sha384").update(await readFile(join(folder, file)));
    integrity[`./${file}`] = `sha384-${hash.digest("base64")}`;
  }
  const mapOf = (/** @type {typeof integrity} */ hashes) =>
    JSON.stringify({ integrity: hashes }, null, 2);
  const together = Object.fromEntries(
    Object.entries(integrity).filter(([file]) => !file.startsWith("./elements/")),
  );
  /** Of a script's own too: browsers ask for a page's scripts before they know its import map. */
  const attributes = (/** @type {string} */ file) =>
    `src="${file}" integrity="${integrity[file]}" crossorigin="anonymous"`;
  await writeFile(join(folder, "integrity.json"), `${mapOf(integrity)}\n`);
  await writeFile(
    join(folder, "integrity.html"),
    `<!-- Before any other module: -->
<script type="importmap">
${mapOf(together)}
</script>
<script type="module" ${attributes("./matrix-auth-elements.js")}></script>

<!-- Or, without modules: -->
<script ${attributes("./matrix-auth-elements.global.js")}></script>
`,
  );
}

/**
 * Writes the licenses of what a folder's scripts contain, by their source maps. rollup-plugin-license would write
 * a file for each bundle.
 *
 * @param {string} folder
 */
async function writeLicenses(folder) {
  const maps = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".map"));
  /** @type {Set<string>} */
  const packages = new Set();
  for (const map of maps) {
    const { sources } = JSON.parse(await readFile(join(folder, map), "utf8"));
    for (const source of sources) {
      const [root] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(source) ?? [];
      if (root) packages.add(join(folder, dirname(map), root));
    }
  }
  const parts = await Promise.all([".", ...[...packages].sort()].map(licenseOf));
  await writeFile(join(folder, "LICENSES.txt"), parts.join(`\n${"-".repeat(80)}\n\n`));
}

/** @param {string} root Of a package. */
async function licenseOf(root) {
  const { name, version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const files = (await readdir(root)).filter((file) => /^(licen[cs]e|notice)\b/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} has no license to bundle with it.`);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  return `${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}
