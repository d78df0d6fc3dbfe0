// Builds the package: dist/ (npm), dist/cdn/ (script tags) and custom-elements.json. In npm scripts alone, the
// two last would not run side by side.
import { createHash } from "node:crypto";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
  await writeIntegrity("dist/cdn");
});

/**
 * Writes the hashes of a folder's scripts: `integrity.json` is an import map, by which browsers check what modules
 * import too; `integrity.html` is what a page in that folder needs of it.
 *
 * @param {string} folder
 */
async function writeIntegrity(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".js"));
  /** @type {Record<string, string>} */
  const integrity = {};
  for (const file of files.map((each) => each.replaceAll("\\", "/")).sort()) {
    const hash = createHash("sha384").update(await readFile(join(folder, file)));
    integrity[`./${file}`] = `sha384-${hash.digest("base64")}`;
  }
  const map = JSON.stringify({ integrity }, null, 2);
  const classic = "./matrix-auth-elements.global.js";
  await writeFile(join(folder, "integrity.json"), `${map}\n`);
  await writeFile(
    join(folder, "integrity.html"),
    `<!-- Before any other module: -->
<script type="importmap">
${map}
</script>
<script type="module" src="./matrix-auth-elements.js"></script>

<!-- Or, without modules: -->
<script src="${classic}" integrity="${integrity[classic]}" crossorigin="anonymous"></script>
`,
  );
}
