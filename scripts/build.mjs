// Builds the package: dist/ (npm), dist/cdn/ (script tags) and custom-elements.json. In npm scripts alone, the
// two last would not run side by side.
import { rm } from "node:fs/promises";
import { main, run } from "./run.mjs";

await main(async () => {
  await rm("dist", { recursive: true, force: true });
  await run("TypeScript", "tsc");
  await Promise.all([
    run("Bundles", "rollup", ["--config", "rollup.config.mjs", "--silent"]),
    run("Manifest", "custom-elements-manifest", [
      "analyze",
      "--config",
      "scripts/manifest.config.mjs",
      "--quiet",
    ]),
  ]);
});
