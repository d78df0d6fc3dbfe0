// Packs the package as it would be published, for the tests that install it: the `pack` step of package.json.
import { execFileSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FOLDER = ".pack";
const { name, version } = JSON.parse(await readFile("package.json", "utf8"));

/** The path of the tarball, from the root of the repository. */
export const TARBALL = `${FOLDER}/${name}-${version}.tgz`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await mkdir(FOLDER, { recursive: true });
  const options = ["--silent", "--ignore-scripts", "--pack-destination", FOLDER];
  execFileSync("npm", ["pack", ...options], { stdio: "inherit" });
}
