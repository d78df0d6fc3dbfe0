// The reference of the core, from its types and their comments: pages of the site, one for each topic.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { exportsOf } from "./names.mjs";

/** The file of each topic, its title, and its folders in `src/core`. */
const TOPICS = /** @type {const} */ ([
  ["homeserver", "Homeserver client", "matrix"],
  ["sessions", "Sessions", "session"],
  ["oauth", "OAuth 2.0 sign-in", "oauth"],
  ["legacy", "Password and single sign-on", "legacy"],
  ["uia", "User-Interactive Authentication", "uia"],
  ["requests", "Requests", "(http|shared)"],
]);

/** Headings that only repeat the order of the code, or the browser's documentation. */
const ARRANGEMENT =
  /^#+ (Inherited from|Implementation of|Overrides|Extended by|Extends|(add|remove)EventListener\(\)|\\\[BRAND\\\]|\\\[hasInstance\\\]\(\))$/;

/**
 * Removes the sections with these headings.
 *
 * @param {string} page
 */
function withoutArrangement(page) {
  let left = Infinity;
  const kept = page.split("\n").filter((line) => {
    const [, hashes] = /^(#+) /.exec(line) ?? [];
    if (hashes && hashes.length <= left) left = ARRANGEMENT.test(line) ? hashes.length : Infinity;
    return left === Infinity && line !== "***";
  });
  return kept.join("\n");
}

/**
 * Removes a table's empty columns.
 *
 * @param {string} text
 */
function narrowed(text) {
  return text.replace(/(?:^\|.*\|\n)+/gm, (block) => {
    const rows = block
      .trimEnd()
      .split("\n")
      .map((row) => row.slice(2, -2).split(/ \| /));
    const [head = [], , ...body] = rows;
    const kept = head.map(
      (title, nth) => title !== "Inherited from" && body.some((cells) => cells[nth] !== "-"),
    );
    const lines = rows.map((cells) => `| ${cells.filter((_, nth) => kept[nth]).join(" | ")} |`);
    return `${lines.join("\n")}\n`;
  });
}

/**
 * TypeDoc's page of a topic.
 *
 * @param {string} page
 */
const tidied = (page) =>
  narrowed(withoutArrangement(page))
    .replace(/^#### (Methods|Properties)\n+(?=#{2,4} |(?![^]))/gm, "")
    // A heading with this mark stands for its entries.
    .replace(/(^#{4,6} .+\n(?:\n>.+\n)?)\n\*\*`Experimental`\*\*\n/gm, "$1")
    .replace(/(\| )\*\*`Experimental`\*\* /g, "$1")
    // Types of members, such as `AuthType.Password`, are in separate files, which are removed.
    .replace(/## Namespaces\n\n(?:- .+\n)+\n/, "")
    .replaceAll("__namedParameters", "settings");

/**
 * @returns {Promise<Map<string, string>>} The pages, by topic. Rejects if a comment's link is dead, or a type
 * is not exported.
 */
export async function coreReference() {
  const folder = await mkdtemp("dist/core-reference-");
  try {
    // TypeDoc makes a page for each of these modules.
    const names = exportsOf(["core"]);
    for (const [topic, , folders] of TOPICS) {
      const here = names.filter(({ file }) => new RegExp(`src/core/${folders}/`).test(file));
      const list = here.map(({ name, isValue }) => (isValue ? name : `type ${name}`));
      const text = `export { ${list.join(", ")} } from "${resolve("src/core/index.js")}";`;
      await writeFile(join(folder, `${topic}.ts`), text);
    }
    const settings = {
      extends: resolve("tsconfig.json"),
      compilerOptions: { rootDir: resolve(".") },
      include: ["*.ts"],
      exclude: [],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    await promisify(execFile)("node_modules/.bin/typedoc", [
      ...["--options", "tools/docs/typedoc.json", "--treatWarningsAsErrors"],
      ...["--tsconfig", join(folder, "tsconfig.json"), "--out", folder],
      ...TOPICS.map(([topic]) => join(folder, `${topic}.ts`)),
    ]);
    const pages = TOPICS.map(async ([topic, title]) => {
      const page = tidied(await readFile(join(folder, `${topic}.md`), "utf8"));
      return /** @type {const} */ ([
        topic,
        `# ${title}\n\nFrom \`matrix-auth-elements/core\`.\n\n${page}`,
      ]);
    });
    return new Map(await Promise.all(pages));
  } finally {
    await rm(folder, { recursive: true });
  }
}
