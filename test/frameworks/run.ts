// `node --import tsx test/frameworks/run.ts vue`: the tests of one framework, in one process with one browser after the other.
import { prepare } from "./prepare.mjs";

const name = process.argv[2] ?? "";
process.env["FRAMEWORKS"] = name;
await prepare(name);
await import("./contract.test.js");
await import("./apps.test.js");
await import("./documented.test.js");
await import("./hot.test.js");
await import("./react-18.test.js");
