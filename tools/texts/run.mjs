// `npm run texts`: lists the strings that each language lacks, and fails if there are any.
import { readdir } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { missingTexts } from "./missing.mjs";

/** @param {string} file */
const textsIn = async (file) => (await import(pathToFileURL(file).href)).default;

const FOLDER = "dist/locales";
const tags = (await readdir(FOLDER)).flatMap(
  (file) => /^(?!en\.)([\w-]+)\.js$/.exec(file)?.[1] ?? [],
);
const languages = await Promise.all(
  tags.map(async (tag) => /** @type {const} */ ([tag, await textsIn(`${FOLDER}/${tag}.js`)])),
);
const english = await textsIn(`${FOLDER}/en.js`);
const missing = missingTexts(english, languages);
for (const [tag, keys] of missing) {
  console.log(`src/locales/${tag}.ts lacks:`);
  for (const key of keys) console.log(`  ${key}: ${JSON.stringify(english[key])}`);
}
if (missing.length > 0) process.exitCode = 1;
else console.log(`✔ ${languages.length} languages have every string`);
