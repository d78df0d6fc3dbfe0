import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { missingTexts } from "../../tools/texts/missing.mjs";

type Texts = Readonly<Record<string, string>>;

const LANGUAGES = (await readdir("dist/locales"))
  .filter((file) => /^[\w-]+\.js$/.test(file))
  .map((file) => file.replace(".js", ""))
  .filter((tag) => tag !== "en")
  .sort();
const MAX_BYTES = 4.5 * 1024;

const textsOf = (language: Texts): Texts => {
  assert.ok(language.$code);
  return Object.fromEntries(Object.entries(language).filter(([key]) => !key.startsWith("$")));
};
const languageOf = async (tag: string): Promise<Texts> => {
  const { default: language } = await import(`matrix-auth-elements/locales/${tag}`);
  return language as Texts;
};
const placeholders = (text: string): readonly string[] => (text.match(/\{\w*\}/g) ?? []).sort();

const english = textsOf(await languageOf("en"));

describe("Languages", () => {
  it("Script tags, the guide, the demo, and the elements' tests have the same languages", async () => {
    const tagsIn = async (file: string, pattern: RegExp): Promise<readonly string[]> =>
      [...(await readFile(file, "utf8")).matchAll(pattern)].map(([, tag = ""]) => tag).sort();
    const loaded = /\[`[\w-]+`,\(?\)?=>import\(`\.\/locales\/([\w-]+)\.js`\)/g;
    assert.deepEqual(await tagsIn("dist/cdn/languages.js", loaded), LANGUAGES);
    assert.deepEqual(await tagsIn("docs/guides/languages.md", /\| `([\w-]+)` +\|? /g), LANGUAGES);
    const tried = /locales\/([\w-]+)"\),$/gm;
    const elements = await tagsIn("test/elements/shared/locales.test.ts", tried);
    assert.deepEqual([...new Set(elements)], LANGUAGES);
    const [demo = ""] = await tagsIn("demo/pages/language.js", /const TAGS = "en ([^"]+)"/g);
    assert.deepEqual(demo.split(" ").sort(), LANGUAGES);
  });

  it("A script tag finds a language by each of its tags", async () => {
    const list = await readFile("dist/cdn/languages.js", "utf8");
    for (const tag of LANGUAGES) {
      const { $aliases = [] } = (await languageOf(tag)) as {
        readonly $aliases?: readonly string[];
      };
      for (const alias of $aliases) {
        const listed = list.includes(`[\`${alias.toLowerCase()}\`,\`${tag.toLowerCase()}\`]`);
        // The shorter tag in the list matches longer ones.
        const [shorter = ""] = alias.split("-");
        assert.ok(listed || (shorter !== alias && $aliases.includes(shorter)), alias);
      }
    }
  });

  it("The guide states the maximum size of a language's file", async () => {
    const guide = await readFile("docs/guides/languages.md", "utf8");
    assert.ok(guide.includes(`at most ${MAX_BYTES / 1024} KB (gzip)`));
  });

  it("English is registered like any other language", async () => {
    const { $code, signIn } = await languageOf("en");
    assert.deepEqual([$code, signIn], ["en", "Sign in"]);
  });

  it("A language can lack a new string, which a command lists and a release requires", async () => {
    const languages = [
      ["de", { $code: "de", signIn: "Anmelden" }],
      ["fr", { $code: "fr", signIn: "Se connecter", fresh: "" }],
      ["nl", { $code: "nl", signIn: "Inloggen", fresh: "Nieuw" }],
    ] as const;
    assert.deepEqual(missingTexts({ $code: "en", signIn: "Sign in", fresh: "New" }, languages), [
      ["de", ["fresh"]],
      ["fr", ["fresh"]],
    ]);
    const check = await readFile("tools/release/run.mjs", "utf8");
    assert.match(check, /^ {4}run\("npm", \["run", "texts"\]\);$/m);
  });

  it("A bundle keeps a language that is imported only for its side effect, and contains only its strings", async () => {
    const { outputFiles } = await build({
      stdin: { contents: 'import "matrix-auth-elements/locales/de";', resolveDir: process.cwd() },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    const code = outputFiles[0]?.text ?? "";
    assert.ok(code.includes("Anmelden"));
    assert.ok(!code.includes("customElements"));
  });

  for (const tag of LANGUAGES) {
    describe(tag, () => {
      it(`${tag} has its tag, and only strings that English has`, async () => {
        const language = await languageOf(tag);
        assert.equal(language.$code, tag);
        assert.equal(Intl.getCanonicalLocales(tag)[0], tag);
        const unknown = Object.keys(textsOf(language)).filter((key) => !(key in english));
        assert.deepEqual(unknown, []);
      });

      it(`${tag} has plain strings with the placeholders of English`, async () => {
        for (const [key, text] of Object.entries(textsOf(await languageOf(tag)))) {
          assert.ok(text.length > 0, key);
          assert.equal(text, text.trim(), key);
          assert.doesNotMatch(
            text,
            /[<>]|&\w+;|[\n\t]| {2}|\.\.\.|[\u200E\u200F\u202A-\u202E]/,
            key,
          );
          assert.equal(text, text.normalize("NFC"), key);
          assert.deepEqual(placeholders(text), placeholders(english[key] ?? ""), key);
        }
      });

      it(`${tag} is at most 4.5 KB for a script tag, with the same texts`, async () => {
        const code = await readFile(`dist/cdn/locales/${tag}.js`);
        const bytes = gzipSync(code, { level: 9 }).byteLength;
        assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
        const page = createContext({});
        runInContext(code.toString(), page);
        // The context's arrays have another prototype, so they are compared as JSON.
        const json = runInContext(
          'JSON.stringify(globalThis[Symbol.for("matrix-auth-elements/texts")])',
          page,
        ) as string;
        const added: unknown = JSON.parse(json);
        assert.deepEqual(added, [await languageOf(tag)]);
      });
    });
  }
});
