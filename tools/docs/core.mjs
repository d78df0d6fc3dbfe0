// The reference of the core, from its types and their comments.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../../scripts/run.mjs";

const INTRODUCTION = `Functions, classes and types of \`matrix-auth-elements/core\`, generated from their comments by
\`npm run docs\`.`;

/** @returns {Promise<string>} Rejects where a comment links to nothing, or a type is not exported. */
export async function coreReference() {
  const folder = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  try {
    await run("Reference of the core", "typedoc", [
      ...["--options", "tools/docs/typedoc.json"],
      "--treatWarningsAsErrors",
      ...["--out", folder],
    ]);
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
