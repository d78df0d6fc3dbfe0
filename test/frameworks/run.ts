// `tsx test/frameworks/run.ts vue`: installs and builds what the tests of one framework need, then runs them in one process.
import { prepare } from "./prepare.mjs";

const name = process.argv[2] ?? "";
process.env["FRAMEWORKS"] = name;
await prepare(name);

const { APPS, FRAMEWORKS } = await import("./frameworks.js");
if (FRAMEWORKS.length > 0) {
  await import("./contract.test.js");
  await import("./hot.test.js");
}
if (FRAMEWORKS.some(({ documented }) => documented)) await import("./documented.test.js");
if (APPS.length > 0) await import("./apps.test.js");
