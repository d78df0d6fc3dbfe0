import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SYNAPSE_ROOT } from "../../../scripts/synapse/installation.mjs";
import { until } from "../../../scripts/until.mjs";
import { isForeign, startSynapse } from "./synapse.js";

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/_matrix/client/versions`).then(
    () => true,
    () => false,
  );

const ends = (url: string): Promise<boolean> =>
  until("It still runs", async () => !(await answers(url)), 10_000);

const skip = isForeign && "SYNAPSE_URL names a Synapse that somebody else starts and ends";

describe("A Synapse for the tests", { timeout: 600_000, skip }, () => {
  it("is what it says, has the accounts that are made, and leaves nothing behind", async () => {
    const synapse = await startSynapse();
    try {
      await synapse.createAccount({ user: "alice", password: "alice-password" });
      const identifier = { type: "m.id.user", user: "alice" };
      const response = await fetch(`${synapse.baseUrl}/_matrix/client/v3/login`, {
        method: "POST",
        body: JSON.stringify({
          type: "m.login.password",
          identifier,
          password: "alice-password",
        }),
      });
      const { user_id } = (await response.json()) as { user_id: string };
      assert.equal(user_id, `@alice:${synapse.serverName}`);
      assert.match(response.headers.get("Server") ?? "", /^Synapse/);
    } finally {
      await synapse.close();
    }
    assert.equal(await answers(synapse.baseUrl), false);
    const left = await readdir(join(SYNAPSE_ROOT, "srv"));
    assert.deepEqual(
      left.filter((name) => name.endsWith(`-${process.pid}`)),
      [],
    );
    assert.ok(!(await readFile("/proc/self/mounts", "utf8")).includes(SYNAPSE_ROOT));
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
    it(`ends where the process that started it ends by ${signal}`, async () => {
      const module = JSON.stringify(new URL("./synapse.ts", import.meta.url));
      const script = `import(${module}).then(async ({ startSynapse }) => console.log((await startSynapse()).baseUrl))`;
      const child = spawn(process.execPath, ["--import", "tsx", "--eval", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
      const url = line.trim();
      assert.ok(await answers(url));
      child.kill(signal);
      await once(child, "close");
      await ends(url);
      // The next start sweeps what that one could not.
      await (await startSynapse()).close();
      const left = await readdir(join(SYNAPSE_ROOT, "srv"));
      assert.ok(!left.some((name) => name.endsWith(`-${child.pid}`)));
    });
  }

  it("says why, where it cannot start", async () => {
    await assert.rejects(
      startSynapse({ settings: { listeners: "none" } }),
      /Synapse did not start:[^]*listeners/,
    );
    assert.ok(existsSync(SYNAPSE_ROOT));
  });
});
