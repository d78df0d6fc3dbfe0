// A second build from the sources must equal the published package.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { cwd, env } from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { TARBALL } from "../../scripts/pack.mjs";

const exec = promisify(execFile);

/** Built files, and files that the build does not need. */
const LEFT_OUT = new Set([
  ".git",
  ".pack",
  ".wireit",
  "coverage",
  "demo",
  "dist",
  "node_modules",
  "test",
  "tools",
]);

/** The files of a tarball, with their modes and hashes. */
async function contentsOf(tarball: string, folder: string): Promise<Record<string, string>> {
  await mkdir(folder);
  const { stdout } = await exec("tar", ["-tvzf", tarball]);
  await exec("tar", ["-xzf", tarball, "-C", folder]);
  const lines = stdout.trim().split("\n");
  const entries = lines.map(async (line) => {
    const [mode = "", ...rest] = line.split(/\s+/);
    const path = rest.at(-1) ?? "";
    const hash = createHash("sha256").update(await readFile(join(folder, path)));
    return [path, `${mode} ${hash.digest("hex")}`] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe("A second build of the package", () => {
  let root: string;
  before(async () => void (root = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"))));
  after(() => rm(root, { recursive: true }));

  it("The tarball has the same bytes if it is built with another folder, time zone, language, and umask", async () => {
    const copy = join(root, "another place", "for", "it");
    await mkdir(copy, { recursive: true });
    for (const name of await readdir(cwd())) {
      if (!LEFT_OUT.has(name)) await cp(name, join(copy, name), { recursive: true });
    }
    // Through a symbolic link, the tools would find this folder. Hard links need the same disk.
    const packages = join(copy, "node_modules");
    await exec("cp", ["-al", "node_modules", packages]).catch(() =>
      exec("cp", ["-R", "node_modules", copy]),
    );
    await exec("sh", ["-c", "umask 077 && npm run build"], {
      cwd: copy,
      env: { ...env, TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    });
    await exec("npm", ["pack", "--ignore-scripts", "--pack-destination", root], { cwd: copy });

    const again = join(root, basename(TARBALL));
    const [first, second] = await Promise.all([readFile(TARBALL), readFile(again)]);
    if (first.equals(second)) return;
    // The list of differing files explains the failure.
    assert.deepEqual(
      await contentsOf(again, join(root, "second")),
      await contentsOf(TARBALL, join(root, "first")),
    );
    assert.fail("The tarballs have the same files, in another order or with other times.");
  });
});
