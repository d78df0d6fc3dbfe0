// Rule 13, where it depends on the network stack: an upload with progress, and redirects in Node.
import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { constants, createGzip } from "node:zlib";
import { discoverHomeserver, HomeserverClient } from "matrix-auth-elements/core";
import type { Tab } from "../e2e/driver/driver.js";
import { useFixture } from "../e2e/fixture.js";
import { sendJson, startAppPages, startAttackServer } from "./servers.js";
import { SUITE } from "../support/wait-for.mjs";

const MEGABYTE = 1 << 20;
/** A body without a limit ends here, so that a test that fails does. */
const PIECES = 256;

const start = async () => {
  const progress = { pieces: 0, isCut: false };
  const homeserver = await startAttackServer(({ path }, response) => {
    if (path.includes("status")) return void response.writeHead(Number(/\d+/.exec(path))).end("{}");
    if (!path.includes("endless")) return sendJson(response, { content_uri: "mxc://hs.example/a" });
    const isGzip = path.includes("gzip");
    response.writeHead(path.includes("refused") ? 400 : 200, {
      "Content-Type": "application/json",
      ...(isGzip && { "Content-Encoding": "gzip" }),
    });
    response.on("close", () => (progress.isCut = progress.pieces < PIECES));
    const body = isGzip ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : response;
    if (body !== response) body.pipe(response);
    const write = (): void => {
      if (response.destroyed || progress.pieces >= PIECES) return void body.end();
      progress.pieces += 1;
      body.write(Buffer.alloc(MEGABYTE, " "), write);
    };
    write();
  });
  const pages = await startAppPages();
  return {
    base: homeserver.origin,
    page: `${pages.origin}/session.html`,
    progress,
    reset: () => void Object.assign(progress, { pieces: 0, isCut: false }),
    close: async () => void (await Promise.all([homeserver.close(), pages.close()])),
  };
};

describe("Rule 13: the response to an upload", SUITE, () => {
  let bed: Awaited<ReturnType<typeof start>>;
  let tab: Tab;
  useFixture({ servers: "per suite", profile: "per suite" }, start, (fixture) => {
    ({ bed, tab } = fixture);
  });
  beforeEach(async () => {
    await tab.goto(bed.page);
    await tab.waitForTrue("window.isReady");
  });

  /** Uploads to a homeserver at a path. @returns The URL of the file, or the code of the error. */
  const upload = (path: string, options: string): Promise<string> =>
    tab.run(`new core.HomeserverClient({ baseUrl: "${bed.base}${path}", accessToken: "token" })
      .uploadContent(new Blob(["file"]), { ${options} })
      .then(({ content_uri }) => content_uri, ({ code }) => code)`);

  for (const [how, options] of [
    ["with progress", "progressHandler: () => undefined"],
    ["without progress", ""],
  ] as const) {
    for (const path of ["/endless", "/endless/refused", "/endless/gzip"]) {
      it(`is read up to a limit ${how}, from ${path}`, async () => {
        assert.equal(await upload(path, options), "response_too_large");
        assert.ok(bed.progress.pieces < PIECES, `${bed.progress.pieces} MB`);
      });
    }

    for (const status of [600, 999]) {
      it(`ends the upload ${how}, with a status that a page's own Response can't have: ${status}`, async () => {
        const code = await upload(`/status/${status}`, `timeoutMs: 60_000, ${options}`);
        assert.equal(code, "unexpected_status");
      });
    }

    it(`control: is read ${how}`, async () => {
      assert.equal(await upload("", options), "mxc://hs.example/a");
    });
  }
});

describe("Rule 13: a redirect in Node", () => {
  const BASE = "http://127.0.0.1:8008";
  const file = { "m.homeserver": { base_url: BASE } };

  for (const [what, call] of Object.entries({
    "is not followed": (fetch: typeof globalThis.fetch) =>
      assert.rejects(new HomeserverClient({ baseUrl: BASE, accessToken: "t", fetch }).whoami(), {
        code: "unexpected_redirect",
      }),
    "is followed": async (fetch: typeof globalThis.fetch) =>
      assert.deepEqual(await discoverHomeserver(BASE, { fetch }), { baseUrl: BASE }),
  })) {
    it(`with an endless body leaves no open connection that would keep the program running, if it ${what}`, async () => {
      const cancelled: string[] = [];
      await call((input) => {
        const url = String(input);
        if (url.endsWith("/file")) return Promise.resolve(Response.json(file));
        const body = new ReadableStream({ cancel: () => void cancelled.push(url) });
        const headers = { Location: "/file" };
        return Promise.resolve(new Response(body, { status: 302, headers }));
      });
      assert.equal(cancelled.length, 1);
    });
  }
});
