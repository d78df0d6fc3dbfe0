// The reference of the core, from its types and their comments: a page of the site.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const INTRODUCTION =
  "Functions, classes and types of `matrix-auth-elements/core`, generated from their comments.";

/** @returns {Promise<string>} Rejects where a comment links to nothing, or a type is not exported. */
export async function coreReference() {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  try {
    const options = ["--options", "tools/docs/typedoc.json", "--treatWarningsAsErrors"];
    await promisify(execFile)("node_modules/.bin/typedoc", [...options, "--out", folder]);
    const page = await readFile(join(folder, "core.md"), "utf8");
    return (
      page
        .replace(/^# .+\n/, `$&\n${INTRODUCTION}\n`)
        // Types of members, such as `AuthType.Password`, would be in files of their own, which are not kept.
        .replace(/## Namespaces\n\n(?:- .+\n)+\n/, "")
        .replaceAll("__namedParameters", "settings")
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
