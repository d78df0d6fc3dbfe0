// `tsx test/frameworks/run.ts vue`: installs and builds the pages of one framework's tests, then
// runs them in one process.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { addFiles, follow } from "../docs/quick-start.js";
import { prepare } from "./prepare.mjs";

const name = process.argv[2] ?? "";
process.env["FRAMEWORKS"] = name;
await prepare(name);

const { APPS, FRAMEWORKS, QUICK_STARTS } = await import("./frameworks.table.js");
if (FRAMEWORKS.length > 0) await import("./contract.test.js");
const start = QUICK_STARTS[name];
if (start) {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  after(() => rm(folder, { recursive: true }));
  const app = await follow(start.page, folder, start.versions ?? `demo/${name}`);
  const { testAccountPage, testQuickStart, testRoutes } = await import("./quick-start.js");
  if (start.accountPage === undefined) {
    testQuickStart({ ...start, ...app });
    if (start.routes) testRoutes(start.routes, app);
  } else {
    await addFiles(start.accountPage, app.app);
    testAccountPage({ ...start, ...app });
  }
}
if (APPS.length > 0) await import("./apps.test.js");
