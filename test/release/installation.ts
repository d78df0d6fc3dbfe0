import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { TARBALL } from "../../scripts/pack.mjs";

const exec = promisify(execFile);

/** The package as a user has it: packed, and installed in a new project outside the repository. */
export interface Installation {
  readonly folder: string;
  readonly tarball: string;
  remove(): Promise<void>;
}

export async function install(): Promise<Installation> {
  const tarball = resolve(TARBALL);
  const { devDependencies } = JSON.parse(await readFile("package.json", "utf8"));
  // The peer dependencies of `matrix-auth-elements/react`.
  const peers = ["@lit/react", "react"].map((name) => `${name}@${devDependencies[name]}`);
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  await writeFile(join(folder, "package.json"), `{ "private": true, "type": "module" }`);
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline"];
  await exec("npm", ["install", ...quietly, tarball, ...peers], { cwd: folder });
  return { folder, tarball, remove: () => rm(folder, { recursive: true }) };
}

interface PackageJson {
  /** `null` excludes files that a pattern would export. */
  readonly exports: Record<string, string | null | { readonly default: string }>;
}

/** The importable names and their files. A pattern stands for each matching file. */
export async function entriesOf(
  { exports }: PackageJson,
  root: string,
): Promise<Map<string, string>> {
  const entries = new Map<string, string>();
  for (const [entry, target] of Object.entries(exports)) {
    const specifier = entry.replace(/^\./, "matrix-auth-elements");
    if (target === null) entries.delete(specifier);
    if (target === null || typeof target === "string") continue;
    const [before = "", after] = target.default.split("*");
    if (after === undefined) {
      entries.set(specifier, target.default);
      continue;
    }
    for (const file of await readdir(join(root, before))) {
      if (!file.endsWith(after)) continue;
      const name = file.slice(0, file.length - after.length);
      entries.set(specifier.replace("*", name), `${before}${file}`);
    }
  }
  return entries;
}
