import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

type Texts = Readonly<Record<string, string>>;

const LANGUAGES = (await readdir("dist/locales"))
  .filter((file) => /^[\w-]+\.js$/.test(file))
  .map((file) => file.replace(".js", ""))
  .filter((tag) => tag !== "en")
  .sort();
const MAX_BYTES = 3.5 * 1024;

const load = async (file: string): Promise<Record<string, Texts>> =>
  (await import(pathToFileURL(file).href)) as Record<string, Texts>;
const textsOf = (language: Texts): Texts => {
  assert.ok(language.$code);
  return Object.fromEntries(Object.entries(language).filter(([key]) => !key.startsWith("$")));
};
const languageOf = async (tag: string): Promise<Texts> => {
  const { default: language } = await import(`matrix-auth-elements/locales/${tag}`);
  return language as Texts;
};
const placeholders = (text: string): readonly string[] => (text.match(/\{\w*\}/g) ?? []).sort();

const english = textsOf((await load("dist/locales/en.js"))["en"] as Texts);

describe("Languages", () => {
  it("The languages are those that a script tag loads, that the guide and the demo list, and that are tried in the elements", async () => {
    const tagsIn = async (file: string, pattern: RegExp): Promise<readonly string[]> =>
      [...(await readFile(file, "utf8")).matchAll(pattern)].map(([, tag = ""]) => tag).sort();
    const loaded = /\["[\w-]+",\(?\)?=>import\("\.\/locales\/([\w-]+)\.js"\)/g;
    assert.deepEqual(await tagsIn("dist/cdn/languages.js", loaded), LANGUAGES);
    assert.deepEqual(await tagsIn("docs/guides/languages.md", /\| `([\w-]+)` +\|? /g), LANGUAGES);
    const tried = /locales\/([\w-]+)"\),$/gm;
    const elements = await tagsIn("test/elements/shared/locales.test.ts", tried);
    assert.deepEqual([...new Set(elements)], LANGUAGES);
    const [demo = ""] = await tagsIn("demo/pages/language.js", /const TAGS = "en ([^"]+)"/g);
    assert.deepEqual(demo.split(" ").sort(), LANGUAGES);
  });

  it("A script tag finds a language under every tag that it is for", async () => {
    const list = await readFile("dist/cdn/languages.js", "utf8");
    for (const tag of LANGUAGES) {
      const { $aliases = [] } = (await languageOf(tag)) as {
        readonly $aliases?: readonly string[];
      };
      for (const alias of $aliases) {
        const listed = list.includes(`["${alias.toLowerCase()}","${tag.toLowerCase()}"]`);
        // The shorter tag in the list matches longer ones.
        const [shorter = ""] = alias.split("-");
        assert.ok(listed || (shorter !== alias && $aliases.includes(shorter)), alias);
      }
    }
  });

  it("The guide names the maximum size of a language's file", async () => {
    const guide = await readFile("docs/guides/languages.md", "utf8");
    assert.ok(guide.includes(`at most ${MAX_BYTES / 1024} KB (gzip)`));
  });

  it("English can be imported as any other language, though it is there", async () => {
    await import("matrix-auth-elements/locales/en");
  });

  it("A bundle keeps a language that is imported only for its effect, and gets only strings", async () => {
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
      it(`${tag} has every text, and no other`, async () => {
        const language = await languageOf(tag);
        assert.equal(language.$code, tag);
        assert.equal(Intl.getCanonicalLocales(tag)[0], tag);
        assert.deepEqual(Object.keys(textsOf(language)).sort(), Object.keys(english).sort());
      });

      it(`${tag} has plain texts with the placeholders of the English`, async () => {
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

      it(`${tag} is at most 3.5 KB for a script tag, with the same texts`, async () => {
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
