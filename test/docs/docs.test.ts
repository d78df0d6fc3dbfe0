import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { access, readFile, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { eventFacts } from "../../tools/docs/events.mjs";
import { navigation, pagesOf } from "../../tools/docs/nav.mjs";
import { allBlocks, pages } from "./blocks.js";
import { TIMES } from "./times.table.js";

const exec = promisify(execFile);

describe("The documentation", () => {
  it("The generated documentation matches the code (`npm run docs` writes it)", async () => {
    const { stdout } = await exec(process.execPath, ["tools/docs/run.mjs", "--check"]);
    assert.match(stdout, /✔ The references/);
  });

  it("The navigation contains every page once, with its heading and a one-sentence description", async () => {
    const listed = pagesOf(navigation).filter(({ onlyOnSite }) => !onlyOnSite);
    const below = await readdir("docs", { recursive: true });
    const present = below.filter((name) => /^(?!reference\/core\/).+\.md$/.test(name));
    assert.deepEqual(
      listed.map(({ path }) => path).sort(),
      [
        ...["README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"],
        ...present.map((name) => join("docs", name)),
      ].sort(),
    );
    for (const { path, title, description } of listed) {
      const [, heading] = /^# (.+)$/m.exec(await readFile(path, "utf8")) ?? [];
      assert.equal(title, heading, path);
      assert.match(description, /^[A-Z](?:(?!\. |\]\().){9,118}[^:.]\.$/, path);
    }
    const descriptions = new Set(listed.map(({ description }) => description));
    assert.equal(descriptions.size, listed.length);
  });

  it("Every line of code fits into the site's pages, which have space for 101 characters", async () => {
    const checked = (await allBlocks()).filter(
      // The site wraps commands. A header has one line.
      ({ page, language }) => /^(README|docs\/(?!dev))/.test(page) && !/^(sh|text)$/.test(language),
    );
    assert.ok(checked.length > 200, String(checked.length));
    for (const { page, line, text } of checked) {
      for (const each of text.split("\n")) {
        const isTag = / integrity="|^<script type="importmap">/.test(each);
        assert.ok(isTag || each.length <= 101, `${page}:${line} ${each}`);
      }
    }
  });

  it("Every npm command in the documentation exists", async () => {
    const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly scripts: Record<string, string>;
    };
    let seen = 0;
    for (const page of await pages()) {
      for (const [, name = ""] of (await readFile(page, "utf8")).matchAll(/npm run ([\w:-]+)/g)) {
        assert.ok(name in scripts, `${page}: npm run ${name}`);
        seen += 1;
      }
    }
    assert.ok(seen > 3);
  });

  it("Every file that CONTRIBUTING and docs/development name exists", async () => {
    const named = /`((?:src|test|tools|demo|docs|scripts|types)\/[\w./-]+)`/g;
    let seen = 0;
    for (const page of await pages()) {
      if (!/^CONTRIBUTING|^docs\/development\//.test(page)) continue;
      for (const [, path = ""] of (await readFile(page, "utf8")).matchAll(named)) {
        // The pages name tests without the ends of their file names.
        const exists = await Promise.any([access(path), access(`${path}.test.ts`)]).then(
          () => true,
          () => false,
        );
        assert.ok(exists, `${page}: ${path}`);
        seen += 1;
      }
    }
    assert.ok(seen > 50, String(seen));
  });

  it("Every link in the documentation has an existing file and heading", async () => {
    for (const page of [...(await pages()), "llms.txt"]) {
      const text = await readFile(page, "utf8");
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)) {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : join(dirname(page), path);
        await assert.doesNotReject(access(file), `${page} → ${target}`);
        if (anchor !== undefined) assert.ok(await hasHeading(file, anchor), `${page} → ${target}`);
      }
    }
  });

  it("Every picture is shown in the documentation, with a description", async () => {
    const shown = new Set<string>();
    for (const page of await pages()) {
      const text = (await readFile(page, "utf8")).replaceAll(/^```[^]*?^```$/gm, "");
      for (const [tag, target = ""] of text.matchAll(
        /<(?:img|source)\b[^>]*\bsrc(?:set)?="([^"]+)"[^>]*>/g,
      )) {
        shown.add(join(dirname(page), target));
        if (tag.startsWith("<img")) assert.match(tag, /\balt="[^"]{20,}"/, page);
      }
    }
    const present = (await readdir("docs/pictures")).filter((name) => name.endsWith(".png"));
    const wanted = present.map((name) => join("docs/pictures", name));
    assert.deepEqual([...shown].sort(), wanted.sort());
  });

  it("The guide to one provider names every reason of oidc-cancel", async () => {
    const facts = [...(await eventFacts()).values()].find(({ name }) => name === "oidc-cancel");
    const reasons = [...(facts?.detail.matchAll(/"(\w+)"/g) ?? [])];
    const guide = await readFile("docs/guides/one-provider.md", "utf8");
    for (const [, reason] of reasons) assert.match(guide, new RegExp(`^\\| \`${reason}\` `, "m"));
    assert.ok(reasons.length > 2);
  });

  it("SECURITY.md has sixteen rules, and every file in test/attacks tests one of them, or what no client can prevent", async () => {
    const page = await readFile("SECURITY.md", "utf8");
    const rules = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, rule]) => Number(rule));
    assert.deepEqual(
      rules,
      Array.from({ length: 16 }, (_, nth) => nth + 1),
    );
    for (const file of await readdir("test/attacks")) {
      const [, rule] = /^(\d\d)-.+\.test\.ts$/.exec(file) ?? [];
      if (!file.endsWith(".test.ts") || file === "limitations.test.ts") continue;
      assert.ok(rules.includes(Number(rule)), file);
    }
  });

  it("The pages about security name functions, files, attributes, and events that exist", async () => {
    const manifest = await readFile("custom-elements.json", "utf8");
    const sources = (await readdir("src", { recursive: true })).filter((it) => it.endsWith(".ts"));
    const texts = await Promise.all(sources.map((file) => readFile(join("src", file), "utf8")));
    const words = new Set(texts.join("\n").match(/\w+/g));
    const ofPolicies = ["frame-ancestors", "unsafe-inline", "unsafe-eval"];
    for (const page of [
      "SECURITY.md",
      "docs/concepts/security-model.md",
      "test/attacks/README.md",
    ]) {
      const text = await readFile(page, "utf8");
      const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);
      for (const name of named(/`([\w.]+)\(\)`/g).flatMap((it) => it.split(".")))
        assert.ok(words.has(name), `${page}: ${name}()`);
      for (const [, name = "", file = ""] of text.matchAll(/`(?:\w+\.)?(\w+)\(\)` in `([^`]+)`/g)) {
        const at = sources.findIndex((it) => `/${it}`.endsWith(`/${file}`));
        assert.ok(texts[at]?.includes(name), `${page}: ${name}() in ${file}`);
      }
      for (const name of named(/`([a-z]+(?:-[a-z]+)+)(?:="\w+")?`/g))
        if (!ofPolicies.includes(name))
          assert.ok(manifest.includes(`"name": "${name}"`), `${page}: ${name}`);
    }
  });

  it("The entry points name everything that session.js exports", async () => {
    const page = await readFile("docs/reference/entry-points.md", "utf8");
    const [, row = ""] = /^\| `session\.js` +\|([^|]+)\|/m.exec(page) ?? [];
    const named = [...row.matchAll(/`(\w+)(?:\(\))?`/g)].map(([, name]) => name);
    const session = (await import(resolve("dist/cdn/session.js"))) as object;
    const ofElements = Object.keys(
      (await import(resolve("dist/sign-in/stored-login.js"))) as object,
    );
    // It also exports what token-refresh.js shares with it, under names of one letter.
    const exported = Object.keys(session).filter(
      (name) => name.length > 1 && !ofElements.includes(name),
    );
    assert.deepEqual(named.sort(), exported.sort());
  });

  it("The guide to accessibility links to the accessibility of every element", async () => {
    const guide = await readFile("docs/guides/accessibility.md", "utf8");
    for (const name of await readdir("docs/reference/elements")) {
      assert.ok(guide.includes(`(../reference/elements/${name}#accessibility)`), name);
    }
  });

  it("The guide to a provided client names every element that uses it", async () => {
    const guide = await readFile("docs/guides/provide-a-client.md", "utf8");
    const { modules } = JSON.parse(await readFile("custom-elements.json", "utf8")) as Manifest;
    const users = modules
      .flatMap(({ declarations }) => declarations)
      .filter(({ members = [] }) =>
        members.some(({ name, readonly }) => name === "client" && !readonly),
      )
      .flatMap(({ tagName }) => tagName ?? []);
    assert.equal(users.length, 3);
    for (const tag of users) assert.ok(guide.includes(`<${tag}>`), tag);
  });

  for (const [page, sentence, file, constant] of TIMES) {
    const path = join("docs", page);
    it(`"${sentence}" in ${path} is the value of src/${file}`, async () => {
      const text = (await readFile(path, "utf8")).replaceAll(/\s+/g, " ");
      assert.ok(text.includes(sentence), path);
      assert.ok((await readFile(`src/${file}`, "utf8")).includes(constant), constant);
    });
  }

  it("README and CHANGELOG state the number of languages", async () => {
    const languages = (await readdir("src/locales")).filter((name) => name.endsWith(".ts"));
    for (const page of ["README.md", "CHANGELOG.md"]) {
      assert.ok((await readFile(page, "utf8")).includes(`${languages.length} languages`), page);
    }
  });

  it("Every command that installs matrix-js-sdk names a version, because npm chooses one by the version of Node", async () => {
    let seen = 0;
    for (const page of await pages()) {
      for (const [command] of (await readFile(page, "utf8")).matchAll(/npm install [^\n`]+/g)) {
        if (!/ matrix-js-sdk\b/.test(command)) continue;
        assert.match(command, / matrix-js-sdk@\d/, page);
        seen += 1;
      }
    }
    assert.ok(seen > 0);
  });

  it("Every quick start names the package's command for a reader without an account, and no repository", async () => {
    const { bin } = JSON.parse(await readFile("package.json", "utf8")) as {
      readonly bin: Record<string, string>;
    };
    const [command = ""] = Object.keys(bin);
    for (const page of ["README.md", ...(await readdir("docs/get-started"))]) {
      const path = page === "README.md" ? page : `docs/get-started/${page}`;
      const text = await readFile(path, "utf8");
      assert.ok(text.includes(`npx ${command}`), path);
      if (path !== page) assert.ok(!text.includes("npm start"), path);
    }
    // A program signs in with a provider only.
    assert.ok(!(await readFile("docs/get-started/node.md", "utf8")).includes("8009"));
  });

  it("Every configuration of a homeserver is run by a test, or marked as untested", async () => {
    const guide = await readFile("docs/guides/configure-your-homeserver.md", "utf8");
    const blocks = [...guide.matchAll(/^```(?:yaml|toml|nginx)$/gm)];
    for (const { index } of blocks) {
      const before = guide.slice(0, index).trimEnd().split("\n\n").slice(-2).join("\n\n");
      assert.match(before, /<!-- run: \w+ -->$|\buntested\b/, before);
    }
    assert.ok(blocks.length > 4);
  });

  it("Every file that an app of a quick start imports is named with its folder", async () => {
    let seen = 0;
    for (const name of await readdir("docs/get-started")) {
      const page = await readFile(`docs/get-started/${name}`, "utf8");
      for (const [, path = ""] of page.matchAll(/\b(?:from|import)\(? ?"\.\.?\/([\w./-]+)"/g)) {
        const file = path.replaceAll("../", "");
        if (/^(matrix-auth-elements|session)\.js$|\.css$/.test(file)) continue;
        const named = new RegExp(`[\\w-]+/${file}\\b|// ${file}`);
        assert.match(page, named, `${name}: ${path}`);
        seen += 1;
      }
    }
    assert.ok(seen > 10, String(seen));
  });
});

interface Manifest {
  readonly modules: readonly {
    readonly declarations: readonly {
      readonly tagName?: string;
      readonly members?: readonly { readonly name: string; readonly readonly?: boolean }[];
    }[];
  }[];
}

async function hasHeading(file: string, anchor: string): Promise<boolean> {
  const text = await readFile(file, "utf8");
  if (text.includes(`<a id="${anchor}"></a>`)) return true;
  return [...text.matchAll(/^#+ (.+)$/gm)].some(
    ([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-") === anchor,
  );
}
