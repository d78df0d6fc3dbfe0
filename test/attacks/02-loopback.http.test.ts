// Rule 2: no argument of a process carries a secret. Other users of a machine can read them.
import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { signInWithLoopback } from "matrix-auth-elements/node";
import { startTestbed, type Testbed } from "../e2e/testbed.js";
import { createVisitor } from "../e2e/without-browser.js";
import { waitForTrue } from "../e2e/driver/driver.js";
import { SUITE } from "../support/wait-for.mjs";

describe("Rule 2: the command that opens the browser", SUITE, () => {
  let bed: Testbed;
  let folder: string;
  const { PATH } = env;
  before(async () => void (bed = await startTestbed({ autoApprove: "alice" })));
  after(() => bed.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "opener-"));
    for (const name of ["open", "xdg-open"]) {
      const file = join(folder, name);
      await writeFile(
        file,
        `#!/bin/sh\nprintf '%s' "$*" > ${join(folder, "part")}\nmv ${join(folder, "part")} ${join(folder, "arguments")}\n`,
      );
      await chmod(file, 0o755);
    }
    env["PATH"] = [folder, PATH].join(delimiter);
  });
  afterEach(async () => {
    env["PATH"] = PATH;
    await rm(folder, { recursive: true });
  });

  const start = () => {
    const signedIn = signInWithLoopback({
      homeserver: bed.homeserver,
      clientMetadata: { clientName: "A program", clientUri: "https://program.example" },
    });
    signedIn.catch(() => undefined);
    return signedIn;
  };
  /** The URL in the arguments that any user of the machine can read. */
  const opened = async (): Promise<string> => {
    let url = "";
    await waitForTrue("the command", async () => {
      url = await readFile(join(folder, "arguments"), "utf8").catch(() => "");
      return url !== "";
    });
    return url;
  };

  it("gets no state, challenge, or other part of the request", async () => {
    const signedIn = start();
    const url = new URL(await opened());
    assert.equal(url.hostname, "127.0.0.1");
    assert.equal(url.search + url.hash, "");
    // Its browser has the request, and completes the sign-in.
    const response = await createVisitor().visit(url.href);
    assert.equal(response.status, 200);
    assert.equal((await signedIn).session.state, "signed-in");
  });

  it("ends the sign-in if another user's program opens the URL first", async () => {
    const signedIn = start();
    const url = await opened();
    const first = await fetch(url, { redirect: "manual" });
    assert.equal(first.status, 302);
    const second = await fetch(url, { redirect: "manual" });
    assert.deepEqual([second.status, second.headers.get("Location")], [410, null]);
    await assert.rejects(signedIn, { code: "browser_unavailable" });
  });

  it("control: a request that isn't a visit doesn't use up the URL", async () => {
    const signedIn = start();
    const url = await opened();
    assert.equal((await fetch(url, { method: "HEAD" })).status, 404);
    assert.equal((await createVisitor().visit(url)).status, 200);
    assert.equal((await signedIn).session.state, "signed-in");
  });
});
