// The last step of `npm run build`: hashes and licenses for the script-tag files.
import { createHash } from "node:crypto";
import { chmod, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const CDN = "dist/cdn";

/** @param {string} folder */
const filesBelow = async (folder) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).replaceAll("\\", "/"));

await writeLanguages();
await Promise.all([writeIntegrity(), writeLicenses()]);
// A tarball keeps the files' modes, which must not depend on the umask.
for (const file of [...(await filesBelow("dist")), "custom-elements.json"])
  await chmod(file, 0o644);

/**
 * Writes each language as pure data, for modules and classic scripts. English is in every file that needs it.
 */
async function writeLanguages() {
  const tags = (await readdir("dist/locales")).flatMap(
    (file) => /^([\w-]+)\.js$/.exec(file)?.[1] ?? [],
  );
  await mkdir(join(CDN, "locales"), { recursive: true });
  for (const tag of tags.filter((each) => each !== "en")) {
    const { default: texts } = await import(`../dist/locales/${tag}.js`);
    const members = Object.entries(texts).map(([key, text]) => `${key}:${JSON.stringify(text)}`);
    await writeFile(
      join(CDN, "locales", `${tag}.js`),
      `(globalThis[Symbol.for("matrix-auth-elements/texts")]??=[]).push({${members.join()}});\n`,
    );
  }
}

/**
 * Writes the hashes of the scripts. `integrity.json` is an import map, with which browsers also check
 * imported modules. `integrity.html` is the part that a page needs for one of the two files with every
 * element. `integrity.csp.json` has the sources for `script-src` that allow these import maps as inline scripts.
 */
async function writeIntegrity() {
  /** @type {Record<string, string>} */
  const integrity = {};
  for (const file of (await filesBelow(CDN)).filter((each) => each.endsWith(".js")).sort()) {
    integrity[`.${file.slice(CDN.length)}`] = hashOf("sha384", await readFile(file));
  }
  const isOwn = (/** @type {string} */ file) => file.startsWith("./elements/");
  const all = importMap(integrity);
  const together = importMap(
    Object.fromEntries(Object.entries(integrity).filter(([file]) => !isOwn(file))),
  );
  /**
   * A page's scripts need the attribute too, because browsers request them before they read the import map.
   */
  const attributes = (/** @type {string} */ file) =>
    `src="${file}" integrity="${integrity[file]}" crossorigin="anonymous"`;
  const files = {
    "integrity.json": `${JSON.stringify(all, null, 2)}\n`,
    // One line, so that no editor changes its indentation and with that its hash.
    "integrity.html": `<!-- One file, without modules: -->
<script ${attributes("./matrix-auth-elements.global.js")}></script>

<!-- Or modules. The content security policy must allow the import map, which must be before all modules: -->
<script type="importmap">${JSON.stringify(together)}</script>
<script type="module" ${attributes("./matrix-auth-elements.js")}></script>
`,
  };
  const sources = {
    "integrity.json": `'${hashOf("sha256", files["integrity.json"])}'`,
    "integrity.html": `'${hashOf("sha256", JSON.stringify(together))}'`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(CDN, name), text);
  await writeFile(join(CDN, "integrity.csp.json"), `${JSON.stringify(sources, null, 2)}\n`);
}

/**
 * @param {string} algorithm
 * @param {string | Uint8Array} content
 */
function hashOf(algorithm, content) {
  return `${algorithm}-${createHash(algorithm).update(content).digest("base64")}`;
}

/**
 * The names let src/script-tag/check-integrity.ts find out whether the map is in effect.
 *
 * @param {Record<string, string>} integrity
 */
function importMap(integrity) {
  const entries = Object.keys(integrity).filter((file) =>
    /^\.\/(matrix-auth-elements|elements\/[^/]+)\.js$/.test(file),
  );
  const imports = Object.fromEntries(
    entries.map((file) => [`matrix-auth-elements/integrity/${file.split("/").at(-1)}`, file]),
  );
  return { imports, integrity };
}

/** Writes the bundled packages' licenses: rollup-plugin-license would write one file per bundle. */
async function writeLicenses() {
  /** @type {Set<string>} */
  const packages = new Set();
  for (const map of (await filesBelow(CDN)).filter((file) => file.endsWith(".map"))) {
    const { sources } = JSON.parse(await readFile(map, "utf8"));
    for (const source of sources) {
      const [root] = /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(source) ?? [];
      if (root) packages.add(join(dirname(map), root));
    }
  }
  const parts = await Promise.all([".", ...[...packages].sort()].map(licenseOf));
  await writeFile(join(CDN, "LICENSES.txt"), parts.join(`\n${"-".repeat(80)}\n\n`));
}

/** @param {string} root The package's folder. */
async function licenseOf(root) {
  const { name, version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const files = (await readdir(root)).filter((file) => /^(licen[cs]e|notice)\b/i.test(file)).sort();
  if (files.length === 0) throw new Error(`${name} has no license to bundle with it.`);
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
  return `${name} ${version} (${license})\n\n${texts.map((text) => `${text.trim()}\n`).join("\n")}`;
}
