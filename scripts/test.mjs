// `npm test [tier …] [option …]`: runs tiers of tests, by default those that need only Chromium. A tier is the part of its
// name after `test:` in the section "wireit" of package.json. The options are the last tier's own.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";

const WIREIT = "node_modules/wireit/bin/wireit.js";
const PREFIX = "test:";
const DEFAULT = "quick";

const { wireit } = JSON.parse(await readFile("package.json", "utf8"));
const tiers = Object.keys(wireit)
  .filter((name) => name.startsWith(PREFIX))
  .map((name) => name.slice(PREFIX.length));

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith("-"));
const names = firstOption < 0 ? args : args.slice(0, firstOption);
const options = args.slice(names.length);

const unknown = names.filter((name) => !tiers.includes(name));
if (unknown[0] !== undefined) {
  console.error(`✖ There is no tier "${unknown.join('", "')}". The tiers are ${tiers.join(", ")}.`);
  process.exit(1);
}

for (const name of names.length ? names : [DEFAULT]) {
  const { status } = spawnSync(process.execPath, [WIREIT, ...options], {
    stdio: "inherit",
    // Wireit runs the script that npm names here.
    env: { ...process.env, npm_lifecycle_event: PREFIX + name },
  });
  if (status !== 0) process.exitCode = 1;
}

if (!names.length) {
  console.log(
    "Left out: other engines, frameworks, homeservers, and the package as users install it. Run them with: npm test all",
  );
}
