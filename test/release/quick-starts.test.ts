// The quick starts without a framework, as printed; those with one are in test/frameworks.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { follow } from "../docs/quick-start.js";
import { testQuickStart } from "../frameworks/quick-start.js";

/** It has the version of Vite. */
const PROJECT = "demo/vue";

const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
after(() => rm(folder, { recursive: true }));

for (const start of [
  { page: "README.md" },
  { page: "docs/get-started/html.md", isStatic: true },
] as const) {
  const own = await mkdtemp(join(folder, "page-"));
  const app = await follow(start.page, own, PROJECT);
  testQuickStart({ edited: "index.html", ...start, ...app });
}
