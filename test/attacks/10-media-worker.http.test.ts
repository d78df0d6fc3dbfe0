// The media worker adds the token to media, and to nothing else. The homeserver, whose users upload what they like, has
// the page's origin.
import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { describe, it } from "node:test";
import { join } from "node:path";
import type { Tab } from "../e2e/driver/driver.js";
import { useFixture } from "../e2e/fixture.js";
import { folder } from "../e2e/testbed.js";
import { type AttackServer, startAttackServer } from "./servers.js";
import { SUITE } from "../support/wait-for.mjs";

const MEDIA = "/_matrix/client/v1/media";
const UPLOAD = `${MEDIA}/download/hs.example`;

/** What a user has uploaded, by its ID. */
const UPLOADS: Readonly<Record<string, readonly [type: string, content: string]>> = {
  script: ["text/javascript", "globalThis.ran = true; globalThis.postMessage?.('ran');"],
  style: ["text/css", "body { --ran: yes }"],
  page: ["text/html", "<script>parent.ran = true</script>"],
  json: ["application/json", "{}"],
  picture: [
    "image/svg+xml",
    `<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><g id="g"><rect width="9" height="9"/></g></svg>`,
  ],
  track: ["text/vtt", "WEBVTT\n\n00:00.000 --> 00:10.000\nHello\n"],
};

const LOCKED = JSON.stringify({ errcode: "M_USER_LOCKED", error: "Locked" });

const TYPES: Readonly<Record<string, string>> = { html: "text/html", svg: "image/svg+xml" };

async function start() {
  const server = await startAttackServer(({ path, authorization }, response) => {
    const { pathname } = new URL(path, "http://x");
    if (pathname.includes("/_matrix/")) {
      const [type, content] = UPLOADS[pathname.split("/").at(-1) ?? ""] ?? ["text/plain", "?"];
      const isLocked = authorization === "Bearer secret-token" && pathname.endsWith("/locked");
      const status = isLocked || authorization === undefined ? 401 : 200;
      // As Synapse sends it.
      response.writeHead(status, { "Content-Type": type, "Cache-Control": "public,max-age=86400" });
      return void response.end(status === 200 ? content : isLocked ? LOCKED : "?");
    }
    const root = pathname.startsWith("/dist/") ? folder("") : folder("test/e2e/pages");
    const type = TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/javascript";
    response.writeHead(200, { "Content-Type": type });
    createReadStream(join(root, pathname))
      .on("error", () => response.end())
      .pipe(response);
  });
  return { server, reset: () => void server.seen.splice(0), close: () => server.close() };
}

describe("The media worker", SUITE, () => {
  let server: AttackServer;
  let tab: Tab;
  useFixture({ servers: "per test", profile: "per test" }, start, ({ bed, tab: own }) => {
    server = bed.server;
    tab = own;
  });

  /** Opens the page with the worker, signed in to a homeserver at this path. */
  const open = async (path = ""): Promise<void> => {
    await tab.goto(`${server.origin}/session.html?store=indexedDB`);
    await tab.waitForTrue("window.isReady");
    await tab.run(`void navigator.serviceWorker.register("/media-worker.js")`);
    await tab.waitForTrue("navigator.serviceWorker.controller !== null");
    await tab.run(`(async () => {
      const session = new core.LegacySession({ homeserverUrl: location.origin + "${path}",
        userId: "@a:hs.example", deviceId: "D", accessToken: "secret-token" }, { store: "indexedDB" });
      await session.stored;
    })()`);
    server.seen.splice(0);
  };

  const tokensSent = (): readonly (string | undefined)[] =>
    server.seen.filter(({ path }) => path.includes("_matrix")).map((one) => one.authorization);

  /** Adds an element, and waits until it is loaded or fails. */
  const insert = (tag: string, attributes: object, parent = "document.body"): Promise<unknown> =>
    tab.run(`new Promise((resolve) => {
      const element = document.createElement("${tag}");
      for (const type of ["load", "error"]) element.addEventListener(type, () => resolve(type));
      Object.assign(element, ${JSON.stringify(attributes)});
      ${parent}.append(element);
    })`);

  const INJECTED: Readonly<Record<string, () => Promise<unknown>>> = {
    "a script": () => insert("script", { src: `${UPLOAD}/script` }),
    "a script with CORS": () =>
      insert("script", { crossOrigin: "anonymous", src: `${UPLOAD}/script` }),
    "a module": () => insert("script", { type: "module", src: `${UPLOAD}/script` }),
    "a preloaded script": () =>
      insert("link", { rel: "preload", as: "script", href: `${UPLOAD}/script` }),
    "a preloaded module": () => insert("link", { rel: "modulepreload", href: `${UPLOAD}/script` }),
    "a dynamic import": () => tab.run(`import("${UPLOAD}/script").catch(() => 0)`),
    "a JSON module": () =>
      tab.run(`import("${UPLOAD}/json", { with: { type: "json" } }).then(() => 1, () => 0)`),
    "a style sheet": () => insert("link", { rel: "stylesheet", href: `${UPLOAD}/style` }),
    "an imported style sheet": () =>
      insert("style", { textContent: `@import url("${UPLOAD}/style")` }),
    "a page in a frame": () => insert("iframe", { src: `${UPLOAD}/page` }),
    "an object": () => insert("object", { data: `${UPLOAD}/page` }),
    "an embedded page": () => insert("embed", { src: `${UPLOAD}/page`, type: "text/html" }),
    "a worker": () =>
      tab.run(`new Promise((resolve) => {
        const worker = new Worker("${UPLOAD}/script");
        worker.onmessage = worker.onerror = ({ type }) => resolve(type);
      })`),
    "a shared worker": () =>
      tab.run(`new Promise((resolve) => {
        new SharedWorker("${UPLOAD}/script").onerror = ({ type }) => resolve(type);
        fetch("/icon.svg").then(() => fetch("/icon.svg")).then(resolve);
      }).then(() => 0)`),
    "a script in a worker": () =>
      tab.run(`new Promise((resolve) => {
        const script = \`try { importScripts("${server.origin}${UPLOAD}/script") }
          catch { postMessage("failed") }\`;
        const worker = new Worker(URL.createObjectURL(new Blob([script])));
        worker.onmessage = worker.onerror = ({ type }) => resolve(type);
      })`),
    "a worklet": () =>
      tab.run(`CSS.paintWorklet?.addModule("${UPLOAD}/script").then(() => 1, () => 0) ?? 0`),
    "a part of another SVG document": async () => {
      await tab.run(`void document.body.insertAdjacentHTML("beforeend",
        '<svg width="9" height="9"><use href="${UPLOAD}/picture#g"/></svg>')`);
      await tab.waitForTrue(`performance.getEntriesByType("resource").some(({ name }) =>
        name.includes("/download/")) || ${String(server.seen.some(({ path }) => path.includes(UPLOAD)))}`);
    },
    "a module of a worker": () =>
      tab.run(`new Promise((resolve) => {
        const worker = new Worker("${UPLOAD}/script", { type: "module" });
        worker.onmessage = worker.onerror = ({ type }) => resolve(type);
      })`),
    "an audio worklet": () =>
      tab.run(`new OfflineAudioContext(1, 1, 8000).audioWorklet
        .addModule("${UPLOAD}/script").then(() => 1, () => 0)`),
    "a script in an SVG image of the page": () =>
      tab.run(`new Promise((resolve) => {
        const script = document.createElementNS("http://www.w3.org/2000/svg", "script");
        script.onload = script.onerror = ({ type }) => resolve(type);
        script.setAttribute("href", "${UPLOAD}/script");
        document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"))
          .append(script);
      })`),
    "a script in a frame of the page": () =>
      insert("iframe", { srcdoc: `<script src="${UPLOAD}/script"></script>` }),
    "an SVG document in an object": () =>
      insert("object", { data: `${UPLOAD}/picture`, type: "image/svg+xml" }),
    "an embedded SVG document": () =>
      insert("embed", { src: `${UPLOAD}/picture`, type: "image/svg+xml" }),
    "a page in a frame set": () =>
      tab.run(`new Promise((resolve) => {
        const set = document.createElement("frameset");
        const frame = Object.assign(document.createElement("frame"), { src: "${UPLOAD}/page" });
        frame.onload = () => resolve(0);
        set.append(frame);
        document.documentElement.append(set);
      })`),
    "a form": async () => {
      await insert("iframe", { name: "target" });
      await tab.run(`new Promise((resolve) => {
        document.querySelector("iframe").onload = () => resolve(0);
        document.body.insertAdjacentHTML("beforeend",
          '<form target="target" action="${UPLOAD}/page"></form>');
        document.querySelector("form").submit();
      })`);
    },
    "a preloaded style sheet": () =>
      insert("link", { rel: "preload", as: "style", href: `${UPLOAD}/style` }),
    "a preloaded font": () =>
      insert("link", { rel: "preload", as: "font", crossOrigin: "", href: `${UPLOAD}/picture` }),
    "a page loaded ahead": () => insert("link", { rel: "prefetch", href: `${UPLOAD}/page` }),
    "a page loaded ahead with CORS": () =>
      insert("link", { rel: "prefetch", crossOrigin: "anonymous", href: `${UPLOAD}/page` }),
    "a script loaded ahead": () =>
      insert("link", { rel: "prefetch", as: "script", href: `${UPLOAD}/script` }),
    "a request without CORS": () =>
      tab.run(`fetch("${UPLOAD}/script", { mode: "no-cors" }).then(() => 0)`),
    "a manifest": async () => {
      await tab.run(`void document.head.append(Object.assign(document.createElement("link"),
        { rel: "manifest", href: "${UPLOAD}/json" }))`);
      await tab.run(`fetch("/icon.svg").then(() => fetch("/icon.svg")).then(() => 0)`);
    },
    "a stream of events": () =>
      tab.run(`new Promise((resolve) => {
        const source = new EventSource("${UPLOAD}/script");
        source.onerror = () => resolve(source.close());
      }).then(() => 0)`),
    "a font": () =>
      tab.run(`new FontFace("x", "url(${UPLOAD}/picture)").load().then(() => 1, () => 0)`),
  };

  for (const [what, inject] of Object.entries(INJECTED)) {
    it(`adds no token to ${what}`, async () => {
      await open();
      await inject();
      assert.deepEqual([...new Set(tokensSent())].filter(Boolean), []);
      assert.notEqual(await tab.run("window.ran"), true);
    });
  }

  it("runs no script from the HTTP cache that an image with the same URL has stored there", async () => {
    await open();
    const url = `${UPLOAD}/script`;
    for (const crossOrigin of [null, "anonymous", "use-credentials"]) {
      await insert("img", { crossOrigin, src: url });
      await tab.run(`fetch("${url}").then((response) => response.text()).then(() => 0)`);
      for (const link of [{ rel: "prefetch" }, { rel: "preload", as: "fetch" }]) {
        await insert("link", { ...link, crossOrigin, href: url });
      }
      await insert("script", { crossOrigin, src: url });
    }
    assert.ok(tokensSent().includes("Bearer secret-token"));
    assert.notEqual(await tab.run("window.ran"), true);
  });

  const statusOf = (path: string, init = "{}"): Promise<number> =>
    tab.run(`fetch(${JSON.stringify(path)}, ${init}).then(({ status }) => status)`);

  for (const path of [
    `${MEDIA}/preview_url${UPLOAD}/picture`,
    `${MEDIA}/config?x=${UPLOAD}/picture`,
    `/other${UPLOAD}/picture`,
    `${MEDIA}/download/picture`,
    `${MEDIA}/download/hs.example/picture/name/more`,
    `${MEDIA}/download/hs.example/..%2f..%2fpreview_url/picture`,
    `${MEDIA}/download/hs.example/picture/..%2f..%2f..%2fpreview_url`,
    `${MEDIA}/download/hs.example/picture/..%5c..%5cpreview_url`,
    `${MEDIA}/download/hs.example/picture/%252e%252e%252fpreview_url`,
    `${MEDIA}/download/hs.example/picture/%25252f`,
    `${MEDIA}/download/%2E%2E/picture`,
    `${MEDIA}/download/hs.example/picture/%2e%2e%2Fx`,
    `${MEDIA}/download/hs.example/picture/..;x`,
    `${MEDIA}/download/hs.example/pic%74ure`,
    `${MEDIA}/thumbnail/hs.example/picture/name`,
    `${MEDIA}/downloads/hs.example/picture`,
    `${MEDIA}/download/../upload`,
    "/_matrix/media/v3/download/hs.example/picture",
  ]) {
    it(`adds no token to ${path}`, async () => {
      await open();
      await statusOf(path);
      assert.deepEqual(tokensSent(), [undefined]);
    });
  }

  for (const [base, path] of [
    ["/prefix", `${UPLOAD}/picture`],
    ["/prefix", `/prefix/more${UPLOAD}/picture`],
    ["/prefix", `/prefix2${UPLOAD}/picture`],
    ["", `/prefix${UPLOAD}/picture`],
  ] as const) {
    it(`adds no token to ${path} if the homeserver is at ${base || "/"}`, async () => {
      await open(base);
      assert.equal(await statusOf(path), 401);
    });
  }

  it("adds no token to requests with other methods and modes", async () => {
    await open();
    for (const init of ['{ method: "POST" }', '{ method: "PUT" }', '{ mode: "same-origin" }']) {
      assert.equal(await statusOf(`${UPLOAD}/picture`, init), 401, init);
    }
  });

  for (const [base, path] of [
    ["", `${UPLOAD}/picture`],
    ["", `${UPLOAD}/picture/a%20name%20(1).svg`],
    ["", `${MEDIA}/download/hs.example:8448/picture?allow_redirect=true`],
    ["", `${MEDIA}/download/[::1]:80/picture`],
    ["", `${MEDIA}/thumbnail/hs.example/picture?width=3&height=2`],
    ["/prefix", `/prefix${UPLOAD}/picture`],
    ["/prefix/", `/prefix${UPLOAD}/picture`],
  ] as const) {
    it(`adds the token to ${path} if the homeserver is at ${base || "/"}`, async () => {
      await open(base);
      assert.equal(await statusOf(path), 200);
      assert.equal(await statusOf(path, '{ method: "HEAD" }'), 200);
      const sent = `new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.onload = () => resolve(request.status);
        request.open("GET", ${JSON.stringify(path)});
        request.send();
      })`;
      assert.equal(await tab.run(sent), 200);
    });
  }

  it("adds the token to images, audio, video, and tracks", async () => {
    await open();
    assert.equal(await insert("img", { src: `${UPLOAD}/picture` }), "load");
    await insert("audio", { src: `${UPLOAD}/picture`, crossOrigin: "anonymous" });
    await insert("video", { src: `${UPLOAD}/picture`, crossOrigin: "anonymous" });
    await tab.run(`void document.querySelector("video").append(Object.assign(
      document.createElement("track"), { src: "${UPLOAD}/track", default: true }))`);
    await tab.waitForTrue(`document.querySelector("track").readyState > 1`);
    assert.deepEqual([...new Set(tokensSent())], ["Bearer secret-token"]);
    assert.ok(server.seen.some(({ path }) => path.endsWith("/track")));
  });

  describe("with other sessions", () => {
    const session = (path: string, user: string, key: string, more = {}): Promise<unknown> =>
      tab.run(`(async () => {
        window.${user} = new core.LegacySession({ homeserverUrl: location.origin + "${path}",
          userId: "@${user}:hs.example", deviceId: "${user}", accessToken: "${user}-token",
          ...${JSON.stringify(more)} }, { store: "indexedDB", key: "${key}" });
        await ${user}.stored;
      })()`);

    it("sends each homeserver below the same origin only the token of its own session", async () => {
      await open("/one");
      await session("/two", "bob", "matrix-auth-elements:session:bob");
      for (const [base, token] of [
        ["/one", "Bearer secret-token"],
        ["/two", "Bearer bob-token"],
        ["/three", undefined],
        ["/one/two", undefined],
        ["", undefined],
      ] as const) {
        server.seen.splice(0);
        await insert("img", { src: `${base}${UPLOAD}/picture` });
        assert.deepEqual(tokensSent(), [token], base);
      }
    });

    for (const [when, isKnown] of [
      ["before", true],
      ["after", false],
    ] as const) {
      it(`loads media for a user who has signed in ${when} the worker's first request, if another user of the homeserver is locked`, async () => {
        await open();
        const signIn = () => session("", "bob", "matrix-auth-elements:session:bob");
        if (isKnown) await signIn();
        await insert("img", { src: `${UPLOAD}/picture` });
        if (!isKnown) await signIn();
        server.seen.splice(0);
        assert.equal(await statusOf(`${UPLOAD}/locked`), 200);
        assert.deepEqual(tokensSent(), ["Bearer secret-token", "Bearer bob-token"]);
      });
    }

    it("loads media for a user of the homeserver if another user's token has expired and can't be replaced", async () => {
      await open();
      const expired = { refreshToken: "bob-refresh", expiresAt: 1 };
      await session("/two", "bob", "matrix-auth-elements:session:bob", expired);
      await session("/two", "carol", "matrix-auth-elements:session:carol");
      assert.equal(await statusOf(`/two${UPLOAD}/picture`), 200);
      assert.equal(tokensSent().at(-1), "Bearer carol-token");
    });

    it("is refused if every user of the homeserver is locked", async () => {
      await open();
      assert.equal(await statusOf(`${UPLOAD}/locked`), 401);
      assert.deepEqual(tokensSent(), ["Bearer secret-token"]);
    });

    it("sends no token after the page has signed out, even if that happened while the worker was stopped", async () => {
      await open();
      await insert("img", { src: `${UPLOAD}/picture` });
      assert.deepEqual(tokensSent(), ["Bearer secret-token"]);
      await tab.run(
        `(async () => (await core.restoreSession({ store: "indexedDB" })).signOut())()`,
      );
      server.seen.splice(0);
      assert.equal(await statusOf(`${UPLOAD}/picture`), 401);
      assert.deepEqual(tokensSent(), [undefined]);
    });

    it("sends the token of the user who signed in last, not of the one who signed out", async () => {
      await open();
      await insert("img", { src: `${UPLOAD}/picture` });
      await tab.run(
        `(async () => (await core.restoreSession({ store: "indexedDB" })).signOut())()`,
      );
      await session("", "bob", "matrix-auth-elements:session");
      server.seen.splice(0);
      await insert("img", { src: `${UPLOAD}/picture?bob` });
      assert.deepEqual(tokensSent(), ["Bearer bob-token"]);
    });
  });

  it("also adds the token to a request for part of a file, but never outside the homeserver's base URL", async () => {
    await open();
    assert.equal(await statusOf(`${UPLOAD}/picture`, '{ headers: { Range: "bytes=0-1" } }'), 200);
    server.seen.splice(0);
    const elsewhere = server.origin.replace("localhost", "127.0.0.1");
    await insert("img", { src: `${elsewhere}${UPLOAD}/picture` });
    assert.deepEqual(tokensSent(), [undefined]);
  });
});
