// @ts-check
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startDemo } from "./start/demo.js";
import { HELP, readArguments } from "./start/arguments.js";
import { welcome } from "./start/welcome.js";

const root = fileURLToPath(new URL("../../", import.meta.url));

const options = readArguments(process.argv.slice(2));
if ("mistake" in options) {
  fail(`${options.mistake}\n\n${HELP}`);
} else if (options.help) {
  console.log(HELP);
} else if (!existsSync(`${root}dist`)) {
  fail("There is no dist/ folder yet: run npm run build first.");
} else {
  const demo = await startDemo(root, options);
  console.log(welcome(demo));

  const stop = async () => {
    await demo.close();
    process.exit(0);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
