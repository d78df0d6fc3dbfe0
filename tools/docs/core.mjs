// The reference of the core, from its types and their comments: pages of the site, one for each topic.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { exportsOf } from "./names.mjs";

/** The file of each topic, its title, and the folders of `src/core` that belong to it. */
const TOPICS = /** @type {const} */ ([
  ["homeserver", "Homeserver client", ["matrix"]],
  ["sessions", "Sessions", ["session"]],
  ["oauth", "OAuth 2.0 sign-in", ["oauth"]],
  ["legacy", "Password and single sign-on", ["legacy"]],
  ["uia", "User-Interactive Authentication", ["uia"]],
  ["requests", "Requests", ["http", "shared"]],
]);

const KINDS = ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables"];

/** Headings that only reflect the order of the code. */
const ARRANGEMENT =
  /^#+ (Inherited from|Implementation of|Overrides|Extended by|Extends|\\\[BRAND\\\]|\\\[hasInstance\\\]\(\))$/;

const HEADING = /^(#{3,6}) (.+)$/;

/** @typedef {{ topic: string, kind: string, lines: { text: string, anchor?: string }[] }} Section */

/** Gives equal headings of a page different anchors, as GitHub does. */
function anchors() {
  /** @type {Map<string, number>} */
  const seen = new Map();
  /** @param {string} heading */
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/**
 * The parts of TypeDoc's page: each class, function and type, with the anchors that its links use.
 *
 * @param {string} page
 * @param {Map<string, string>} topics by name
 */
function sectionsOf(page, topics) {
  /** @type {Section[]} */
  const sections = [];
  const anchorOf = anchors();
  let kind = "";
  let left = 0;
  for (const text of page.split("\n")) {
    const [, hashes = "", heading = ""] = HEADING.exec(text) ?? [];
    if (/^##? /.test(text)) {
      anchorOf(text.replace(/^#+ /, ""));
      kind = text.replace(/^## /, "");
    } else if (hashes) {
      const anchor = anchorOf(heading);
      if (left === 0 || hashes.length <= left) left = ARRANGEMENT.test(text) ? hashes.length : 0;
      if (hashes.length === 3) {
        const name = heading.replace(/\W/g, "");
        const topic = topics.get(name);
        if (!topic) throw new Error(`No topic for ${name}`);
        sections.push({ topic, kind, lines: [] });
      }
      if (left === 0) sections.at(-1)?.lines.push({ text, anchor });
    } else if (left === 0 && text !== "***") sections.at(-1)?.lines.push({ text });
  }
  return sections;
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
 * @param {string} page TypeDoc's.
 * @param {Map<string, string>} topics by name
 * @returns {Map<string, string>} The pages, by topic.
 */
export function pagesOfTopics(page, topics) {
  const sections = sectionsOf(page, topics);
  /** @type {Map<string, string>} The place of what TypeDoc's links lead to. */
  const places = new Map();
  const texts = TOPICS.map(([topic, title]) => {
    const anchorOf = anchors();
    anchorOf(title);
    const here = sections.filter((section) => section.topic === topic);
    const parts = KINDS.flatMap((kind) => {
      const ofKind = here.filter((section) => section.kind === kind);
      if (ofKind.length === 0) return [];
      anchorOf(kind);
      return [`## ${kind}`, ...ofKind.map(({ lines }) => place(topic, lines, anchorOf))];
    });
    const text = `# ${title}\n\nFrom \`matrix-auth-elements/core\`.\n\n${parts.join("\n\n")}\n`;
    return /** @type {const} */ ([topic, text]);
  });
  return new Map(
    texts.map(([topic, text]) => [
      topic,
      narrowed(text)
        .replace(/^#### (Methods|Properties)\n+(?=#{2,4} |(?![^]))/gm, "")
        // Said once for each, below its heading.
        .replace(/(^#{4,6} .+\n(?:\n>.+\n)?)\n\*\*`Experimental`\*\*\n/gm, "$1")
        .replace(/(\| )\*\*`Experimental`\*\* /g, "$1")
        .replace(/\[([^\]]+)\]\(#([^)]+)\)/g, (_, label, anchor) => {
          const [of, there] = places.get(anchor)?.split("#") ?? [];
          if (of === undefined) return label;
          return `[${label}](${of === topic ? "" : `${of}.md`}#${there})`;
        }),
    ]),
  );

  /**
   * @param {string} topic
   * @param {Section["lines"]} lines
   * @param {(heading: string) => string} anchorOf
   */
  function place(topic, lines, anchorOf) {
    for (const { text, anchor } of lines) {
      if (anchor !== undefined) {
        places.set(anchor, `${topic}#${anchorOf(text.replace(/^#+ /, ""))}`);
      }
      for (const [, id = ""] of text.matchAll(/<a id="([^"]+)">/g)) {
        places.set(id, `${topic}#${id}`);
      }
    }
    return lines
      .map(({ text }) => text)
      .join("\n")
      .trim();
  }
}

/**
 * @returns {Promise<Map<string, string>>} The pages, by topic. Rejects if a comment links to nothing, or if a type is
 *   not exported.
 */
export async function coreReference() {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  try {
    const options = ["--options", "tools/docs/typedoc.json", "--treatWarningsAsErrors"];
    await promisify(execFile)("node_modules/.bin/typedoc", [...options, "--out", folder]);
    const page = (await readFile(join(folder, "core.md"), "utf8"))
      // Types of members, such as `AuthType.Password`, would be in separate files, which are not
      // kept.
      .replace(/## Namespaces\n\n(?:- .+\n)+\n/, "")
      .replaceAll("__namedParameters", "settings");
    const topics = new Map(
      exportsOf(["core"]).map(({ name, file }) => {
        const [, of = ""] = /src\/core\/(\w+)\//.exec(file) ?? [];
        const topic = TOPICS.find(([, , folders]) =>
          /** @type {readonly string[]} */ (folders).includes(of),
        );
        return [name, topic?.[0] ?? ""];
      }),
    );
    return pagesOfTopics(page, topics);
  } finally {
    await rm(folder, { recursive: true });
  }
}
