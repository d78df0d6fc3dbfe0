// `tsx test/run.ts test/docs/*.test.ts`: runs test files in one process, which loads what they share once, and starts one browser.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
