// Packs the package as for publishing, for the tests that install it: the `pack` step of package.json.
import { execFileSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FOLDER = ".pack";
const { name, version } = JSON.parse(await readFile("package.json", "utf8"));

/** The tarball's path, from the repository's root. */
export const TARBALL = `${FOLDER}/${name}-${version}.tgz`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(FOLDER, { recursive: true });
  const options = ["--silent", "--ignore-scripts", "--pack-destination", FOLDER];
  execFileSync("npm", ["pack", ...options], { stdio: "inherit" });
}
