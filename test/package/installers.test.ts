// What the tests install: a clear message if something is missing, and nothing that a second run trips over.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { SUITE } from "../support/wait-for.mjs";

/** No process has this ID. */
const ENDED = 2 ** 30;

const MAS_FILES = ["assets", "manifest.json", "policy.wasm", "templates", "translations"];

describe("The installers of the tests", SUITE, () => {
  let folder: string;
  before(async () => void (folder = await mkdtemp(join(tmpdir(), "installers-"))));
  after(() => rm(folder, { recursive: true }));

  /** Runs Node with an empty `PATH`: the machine has no Go, no Python, and no container engine. */
  function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      env: { PATH: folder, MATRIX_AUTH_ELEMENTS_CACHE: folder, ...env },
    });
    return { status, text: stdout + stderr };
  }
  const ensureMas = (env: Readonly<Record<string, string>>) =>
    run(["--eval", `import("./scripts/mas.mjs").then(({ ensureMas }) => ensureMas())`], env);

  for (const [script, home, message] of [
    ["dendrite", "dendrite-0.13.8", /✖ Dendrite needs Go/],
    ["mas", "mas-1.22.0", /✖ Matrix Authentication Service needs Docker or Podman, or MAS_CLI/],
    ["synapse", "synapse-1.160.0", /✖ Synapse needs Python/],
  ] as const) {
    it(`${script}.mjs says what it needs, and removes what it and an interrupted run have left`, async () => {
      await mkdir(join(folder, home, `by-${ENDED}`), { recursive: true });
      await writeFile(join(folder, home, `by-${ENDED}`, "half"), "");
      const { status, text } = run([`scripts/${script}.mjs`]);
      assert.equal(status, 1);
      assert.match(text, message);
      assert.deepEqual(await readdir(join(folder, home)), []);
    });
  }

  it("warns about another version of MAS, and rejects a missing program and missing files", async () => {
    const assets = join(folder, "share");
    for (const name of MAS_FILES) await mkdir(join(assets, name), { recursive: true });
    // Node prints its version, too.
    const other = ensureMas({ MAS_CLI: process.execPath, MAS_ASSETS: assets });
    assert.equal(other.status, 0);
    assert.match(other.text, /MAS_CLI is v\d+\..* The tests were written for 1\.22\.0/);
    const missing = ensureMas({ MAS_CLI: join(folder, "none"), MAS_ASSETS: assets });
    assert.match(missing.text, /MAS_CLI names no program that runs/);
    const empty = ensureMas({ MAS_CLI: process.execPath, MAS_ASSETS: folder });
    assert.match(empty.text, /MAS_ASSETS names no folder with assets, manifest\.json/);
    assert.deepEqual([missing.status, empty.status], [1, 1]);
  });

  it("`npm test` lists the tiers after a wrong name", () => {
    const { status, text } = run(["scripts/test.mjs", "nothing"]);
    assert.equal(status, 1);
    assert.match(text, /There is no tier "nothing"\. The tiers are .*dendrite/);
  });
});
