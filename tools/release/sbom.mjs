// Lists the packages that users install. `npm sbom --omit dev` also omits packages that development tools
// share, such as lit.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FORMATS = /** @type {const} */ ([
  ["cyclonedx", "cdx.json"],
  ["spdx", "spdx.json"],
]);

/**
 * Writes the direct and indirect run-time dependencies of package-lock.json as CycloneDX and SPDX.
 *
 * @param {Record<string, any>} packageJson
 * @param {string} target The folder for both files.
 */
export async function writeSboms(packageJson, target) {
  const { name, version, description, license, homepage, dependencies } = packageJson;
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const cwd = join(folder, name); // CycloneDX uses the folder's name.
  await mkdir(cwd);
  const manifest = { name, version, description, license, homepage, dependencies };
  await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
  await writeFile(join(cwd, "package-lock.json"), await readFile("package-lock.json"));
  const prune = ["install", "--package-lock-only", "--offline", "--no-audit", "--no-fund"];
  execFileSync("npm", prune, { cwd });
  for (const [format, ending] of FORMATS) {
    const options = ["--package-lock-only", "--sbom-type", "library", "--sbom-format", format];
    const text = execFileSync("npm", ["sbom", ...options], { cwd });
    await writeFile(join(target, `${name}-${version}.${ending}`), text);
  }
  await rm(folder, { recursive: true });
}
