// Rule 16, for programs in Node: the files of sessions belong to one user, and no change is lost.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chdir, cwd, execPath } from "node:process";
import { afterEach, beforeEach, describe, it } from "node:test";
import { promisify } from "node:util";
import { OidcSession } from "matrix-auth-elements/core";
import { createFileStore } from "matrix-auth-elements/node";
import { SUITE, WAIT_MS } from "../support/wait-for.mjs";

const exec = promisify(execFile);
const KEY = "session";
const rights = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("Rule 16: the files of a program's sessions", SUITE, () => {
  let parent: string;
  let folder: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), "file-store-"));
    folder = join(parent, "sessions");
  });
  afterEach(() => rm(parent, { recursive: true }));

  const paths = async (): Promise<readonly string[]> =>
    (await readdir(folder)).map((name) => join(folder, name));
  const onlyFile = async (): Promise<string> => {
    const [file = "", ...others] = await paths();
    assert.deepEqual(others, []);
    return file;
  };

  it("control: are written, listed, changed, and removed", async () => {
    const store = createFileStore(folder);
    assert.equal(await store.getItem(KEY), undefined);
    assert.deepEqual([...(await store.keys())], []);
    await store.setItem(KEY, "one");
    await store.setItem("another", "two");
    assert.equal(await store.getItem(KEY), "one");
    assert.deepEqual([...(await store.keys())].sort(), ["another", KEY]);
    await store.update(KEY, (value) => `${value} and more`);
    await store.update("another", () => undefined);
    assert.equal(await createFileStore(folder).getItem(KEY), "one and more");
    await store.removeItem(KEY);
    await store.removeItem("another");
    assert.deepEqual(await paths(), []);
  });

  it("are accessible only to their user, even if the folder and the file had other permissions", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    assert.deepEqual([await rights(folder), await rights(file)], [0o700, 0o600]);

    for (const use of [() => store.setItem(KEY, "new"), () => store.getItem(KEY)]) {
      await chmod(folder, 0o755);
      await chmod(file, 0o644);
      await use();
      assert.deepEqual([await rights(folder), await rights(file)], [0o700, 0o600]);
    }
  });

  it("don't inherit the permissions or content of a file that a crash has left", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    for (const rest of [`${file}.new`, `${file}.0123456789abcdef.new`]) {
      await writeFile(rest, "secret of before", { mode: 0o666 });
      await chmod(rest, 0o666);
    }
    await store.setItem(KEY, "new");
    assert.equal(await rights(await onlyFile()), 0o600);
  });

  it("aren't links to other files or folders", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    const target = join(parent, "target");
    for (const content of ["another program's", JSON.stringify({ key: KEY, value: "theirs" })]) {
      await writeFile(target, content);
      await rm(file);
      await symlink(target, file);
      await assert.rejects(async () => store.getItem(KEY));
      await assert.rejects(async () => store.setItem(KEY, "new"));
      await assert.rejects(async () => store.removeItem(KEY));
      assert.ok((await lstat(file)).isSymbolicLink());
      assert.equal(await readFile(target, "utf8"), content);
    }
    const linked = join(parent, "linked");
    await mkdir(join(parent, "elsewhere"));
    await symlink(join(parent, "elsewhere"), linked);
    for (const path of [linked, `${linked}/`, `${linked}/.`, `${linked}//`]) {
      await assert.rejects(async () => createFileStore(path).setItem(KEY, "secret"), path);
    }
    assert.deepEqual(await readdir(join(parent, "elsewhere")), []);
  });

  it("stay in their folder if the program changes its working folder", async (context) => {
    const before = cwd();
    context.after(() => chdir(before));
    chdir(parent);
    const store = createFileStore("sessions");
    await store.setItem(KEY, "secret");
    await mkdir("other");
    chdir("other");
    assert.equal(await store.getItem(KEY), "secret");
  });

  it("leave neither parts of tokens nor a lock if the disk is full", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    const program = `
      import { createFileStore } from "matrix-auth-elements/node";
      const store = createFileStore(${JSON.stringify(folder)});
      await store.setItem("${KEY}", "more".repeat(1000)).catch(({ code }) => console.log(code));
    `;
    // The largest size of a file, in blocks of 512 bytes: for the lock, and for the tokens.
    for (const blocks of [0, 1]) {
      const limited = `ulimit -f ${blocks}; exec "$0" --input-type=module -e "$1"`;
      const { stdout } = await exec("sh", ["-c", limited, execPath, program]);
      assert.equal(stdout, "EFBIG\n");
      assert.deepEqual(await paths(), [file]);
      assert.equal(await store.getItem(KEY), "secret");
    }
  });

  it("stay in their folder with any key", async () => {
    const store = createFileStore(folder);
    const keys = [
      "../outside",
      "..",
      ".",
      "",
      "a/b",
      "/etc/x",
      "C:\\x",
      "a\0b",
      "é",
      "É",
      "x".repeat(999),
    ];
    for (const key of keys) await store.setItem(key, `of ${key}`);
    for (const key of keys) assert.equal(await store.getItem(key), `of ${key}`);
    assert.deepEqual([...(await store.keys())].sort(), [...keys].sort());
    assert.deepEqual(await readdir(parent), ["sessions"]);
    for (const key of keys) await store.removeItem(key);
    assert.deepEqual(await paths(), []);
  });

  it("are distinguished by each character of their keys, even by unpaired surrogates", async () => {
    const store = createFileStore(folder);
    const keys = ["\uD83D", "\uDE00", "\uFFFD", "\uD83D\uDE00", '"\\ud83d"'];
    for (const key of keys) await store.setItem(key, `of ${key}`);
    for (const key of keys) assert.equal(await store.getItem(key), `of ${key}`);
    assert.deepEqual([...(await store.keys())].sort(), [...keys].sort());
  });

  it("aren't pipes, which would block a program forever", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    await exec("mkfifo", [`${file}.lock`]);
    // A program of its own: it could not end either.
    const use = (call: string) =>
      exec(
        execPath,
        [
          "--input-type=module",
          "-e",
          `import { createFileStore } from "matrix-auth-elements/node";
           await createFileStore(${JSON.stringify(folder)}).${call};`,
        ],
        { timeout: WAIT_MS, killSignal: "SIGKILL" },
      );
    await assert.rejects(use(`setItem("${KEY}", "new")`), { killed: false });
    await rm(`${file}.lock`);
    await rm(file);
    await exec("mkfifo", [file]);
    for (const call of [`getItem("${KEY}")`, `setItem("${KEY}", "new")`]) {
      await assert.rejects(use(call), { killed: false });
    }
    await use("keys()");
  });

  it("are neither replaced nor removed if they belong to another program", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "secret");
    const file = await onlyFile();
    await writeFile(file, "another program's");
    await assert.rejects(async () => store.setItem(KEY, "new"));
    await assert.rejects(async () => store.removeItem(KEY));
    assert.equal(await readFile(file, "utf8"), "another program's");
    // They don't hide the sessions, either.
    await store.setItem("other", "secret");
    assert.deepEqual([...(await store.keys())], ["other"]);
  });

  it("lose no change of several processes, even if one has crashed while it held the lock", async () => {
    const store = createFileStore(folder);
    await store.setItem(KEY, "0");
    const file = await onlyFile();
    // A process that has ended.
    const { stdout } = await exec(execPath, ["-p", "require('os').hostname() + ' ' + process.pid"]);
    await writeFile(`${file}.lock`, `${stdout.trim()} crashed`);
    const program = `
      import { OidcSession } from "matrix-auth-elements/core";
import { createFileStore } from "matrix-auth-elements/node";
      const store = createFileStore(${JSON.stringify(folder)});
      const one = () => store.update("${KEY}", (value) => String(Number(value) + 1));
      for (let count = 0; count < 10; count += 1) await Promise.all([one(), one()]);
    `;
    const run = () => exec(execPath, ["--input-type=module", "-e", program]);
    await Promise.all([run(), run(), run()]);
    assert.equal(await store.getItem(KEY), "60");
    assert.deepEqual(await paths(), [file]);
  });

  it("send each refresh token once, even if several processes refresh at the same time", async (context) => {
    let generation = 0;
    const received: unknown[] = [];
    const provider = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        const token = new URLSearchParams(body).get("refresh_token");
        received.push(token);
        const isCurrent = token === `refresh-${generation}`;
        if (isCurrent) generation += 1;
        response.writeHead(isCurrent ? 200 : 400, { "Content-Type": "application/json" });
        const tokens = {
          access_token: `access-${generation}`,
          refresh_token: `refresh-${generation}`,
          token_type: "Bearer",
          expires_in: 300,
        };
        response.end(JSON.stringify(isCurrent ? tokens : { error: "invalid_grant" }));
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    context.after(() => provider.close());
    const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`;
    const session = new OidcSession(
      {
        tokenResponse: {
          access_token: "access-0",
          refresh_token: "refresh-0",
          token_type: "Bearer",
          expires_at: 1,
        },
        oidcClientSettings: { clientId: "program", issuer },
        metadata: { issuer, token_endpoint: `${issuer}token`, revocation_endpoint: issuer },
        homeserverUrl: "https://matrix.example",
        deviceId: "PROGRAM",
        scope: "",
      } as unknown as ConstructorParameters<typeof OidcSession>[0],
      { store: createFileStore(folder), userId: "@alice:matrix.example" },
    );
    await session.stored;
    session.close();
    const program = `
      import { OidcSession } from "matrix-auth-elements/core";
      import { createFileStore } from "matrix-auth-elements/node";
      const store = createFileStore(${JSON.stringify(folder)});
      const session = await OidcSession.restore({ store });
      console.log(await session.accessToken(), session.state);
      session.close();
    `;
    const run = async () =>
      (await exec(execPath, ["--input-type=module", "-e", program])).stdout.trim();
    const signedIn = "access-1 signed-in";
    assert.deepEqual(await Promise.all([run(), run(), run()]), [signedIn, signedIn, signedIn]);
    assert.deepEqual(received, ["refresh-0"]);
  });
});
