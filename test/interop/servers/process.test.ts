import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { freePort } from "../../support/ports.mjs";
import { waitFor } from "../../support/wait-for.mjs";
import { startServer, type Program } from "./process.js";

/** A minimal server, in a folder whose name the test knows. */
const programAt = (folder: string, port: number): Program & { readonly url: string } => ({
  title: "It",
  command: [
    process.execPath,
    "--eval",
    `require("http").createServer((_, response) => response.end()).listen(${port}, "127.0.0.1")`,
  ],
  folder,
  url: `http://127.0.0.1:${port}`,
});

describe("A server that a test starts", () => {
  let place: string;

  before(async () => void (place = await mkdtemp(join(tmpdir(), "process-"))));
  after(() => rm(place, { recursive: true }));

  const answers = (url: string): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  const isGone = async (url: string): Promise<boolean> =>
    !(await answers(url)) && (await readdir(place)).length === 0;

  it("responds once it has started, and leaves nothing behind when it is closed", async () => {
    const program = programAt(await mkdtemp(join(place, "data-")), await freePort());
    const server = await startServer(program);
    assert.ok(await answers(program.url));
    await server.close();
    assert.ok(await isGone(program.url));
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
    it(`leaves nothing behind when ${signal} ends the test's process`, async () => {
      const program = programAt(await mkdtemp(join(place, "data-")), await freePort());
      const module = JSON.stringify(new URL("./process.ts", import.meta.url));
      const script = `import(${module})
        .then(({ startServer }) => startServer(${JSON.stringify(program)}))
        .then(() => console.log("started"))`;
      const child = spawn(process.execPath, ["--import", "tsx", "--eval", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(child.stdout, "data");
      assert.ok(await answers(program.url));
      child.kill(signal);
      await waitFor("It is still there", () => isGone(program.url));
    });
  }

  it("rejects with its output, and leaves nothing behind, when it cannot start", async () => {
    const program = programAt(await mkdtemp(join(place, "data-")), await freePort());
    const command = [process.execPath, "--eval", "console.error('no listeners'); process.exit(1)"];
    await assert.rejects(startServer({ ...program, command }), /It did not start:[^]*no listeners/);
    assert.ok(await isGone(program.url));
  });
});
