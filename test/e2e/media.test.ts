// Authenticated media in a page whose service worker adds the session's token: `matrix-auth-elements/service-worker`.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { SessionOptions } from "matrix-auth-elements/core";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import type { Profile, Tab } from "./driver/driver.js";
import { needs, sameInEveryEngine } from "./driver/engine.js";
import { inPage, untilInPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { failureOf } from "./login.js";
import {
  PICTURE,
  resumeSession,
  showImage,
  signInWithPassword,
  silence,
  upload,
  useMediaWorker,
} from "./session-page.js";
import { folder, serverControls } from "./testbed.js";
import { SUITE } from "../support/wait-for.mjs";

const STORE = "?store=indexedDB";

/** A build of a later version, which has changed the database. */
const newerBuild = async (): Promise<string> =>
  `const indexedDB = {
     open(name) {
       const request = globalThis.indexedDB.open(name, 2);
       request.addEventListener("upgradeneeded", ({ target: { result } }) => {
         const { createObjectStore } = result;
         result.createObjectStore = () => createObjectStore.call(result, "more");
       });
       return request;
     },
   };
   ${await readFile(folder("dist/cdn/core.js"), "utf8")}`;

/** The worker with a different script each time. */
const worker = async (): Promise<string> =>
  `${await readFile(folder("test/e2e/pages/media-worker.js"), "utf8")}// ${Math.random()}\n`;

async function startMediaTestbed() {
  const versions = await mkdtemp(join(tmpdir(), "versions-"));
  await writeFile(join(versions, "core.js"), await newerBuild());
  const update = async (): Promise<void> => writeFile(join(versions, "worker.js"), await worker());
  await update();
  const controls = serverControls();
  const cdn = serverControls();
  // This origin has the media of the homeserver that redirects.
  const elsewhere = await startHomeserver(cdn);
  const homeserver = await startHomeserver(controls);
  const other = await startHomeserver(controls);
  const redirecting = await startHomeserver({
    ...controls,
    mediaRedirect: `${elsewhere.baseUrl}/_matrix/client/versions`,
  });
  const pages = await startPages({
    roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist"), "/versions/": versions },
    headers: {
      "Service-Worker-Allowed": "/",
      "Content-Security-Policy": "default-src 'self' http://localhost:*; script-src 'self'",
    },
  });
  return {
    ...controls,
    homeserver,
    other,
    redirecting,
    elsewhere: cdn.requestLog,
    page: `${pages.origin}/session.html${STORE}`,
    /** Deploys another `/versions/worker.js`. */
    update,
    async close() {
      await rm(versions, { recursive: true });
      await Promise.all(
        [pages, homeserver, other, redirecting, elsewhere].map((each) => each.close()),
      );
    },
  };
}

type MediaTestbed = Awaited<ReturnType<typeof startMediaTestbed>>;
type Homeserver = MediaTestbed["homeserver"];

describe("A page with authenticated media", SUITE, () => {
  let bed: MediaTestbed;
  let profile: Profile;
  let tab: Tab;
  useFixture({ servers: "per test", profile: "per suite" }, startMediaTestbed, (fixture) => {
    ({ bed, profile, tab } = fixture);
  });

  /** Opens the page, by default with the worker. */
  const open = async (where = tab, { worker = true } = {}): Promise<Tab> => {
    await where.goto(bed.page);
    await where.waitForTrue("window.isReady");
    if (!worker) return where;
    await useMediaWorker(where);
    return where;
  };

  const optionsOf = (user: string, { baseUrl }: Homeserver): SessionOptions => ({
    store: "indexedDB",
    key: `session ${baseUrl} ${user}`,
  });
  const signIn = (user: string, homeserver: Homeserver): Promise<void> => {
    const login = {
      homeserverUrl: homeserver.baseUrl,
      identifier: { type: "m.id.user", user },
      password: `${user}-demo-password`,
    } as const;
    return signInWithPassword(tab, login, optionsOf(user, homeserver));
  };

  const uploadPicture = (where = tab): Promise<string> => upload(where, PICTURE);
  const show = (url: string, where = tab): Promise<number> => showImage(where, url);

  /** The status of a response to the page's own request. */
  const statusOf = (url: string, init: RequestInit = {}): Promise<number> =>
    inPage(tab, async (...request) => (await fetch(...request)).status, url, init);

  const mediaRequests = () =>
    bed.requestLog.filter(({ preflight, path }) => !preflight && path.includes("/v1/media/"));
  const refreshes = (): number =>
    bed.requestLog.filter(({ preflight, path }) => !preflight && path.endsWith("/refresh")).length;

  it("shows an image in two tabs, and in no tab without the worker", async () => {
    await open();
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    assert.equal(await show(picture), 3);
    const second = await open(await profile.newTab());
    assert.equal(await show(picture, second), 3);

    await tab.run("navigator.serviceWorker.ready.then((worker) => worker.unregister())");
    await open(tab, { worker: false });
    assert.equal(await show(picture), 0);
  });

  it("plays sound from its middle with range requests", async () => {
    await open();
    await signIn("alice", bed.homeserver);
    const playFromMiddle = (src: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const video = document.createElement("video");
        video.preload = "metadata";
        video.onloadedmetadata = () => (video.currentTime = 50);
        video.onseeked = () => resolve();
        video.onerror = () => reject(new Error(video.error?.message));
        // Otherwise the request does not reach the service worker in Firefox.
        video.crossOrigin = "anonymous";
        video.src = src;
        document.body.replaceChildren(video);
      });
    await inPage(tab, playFromMiddle, await upload(tab, silence(60)));
    const ranges = mediaRequests().map(({ headers }) => headers.range);
    assert.ok(
      ranges.some((range) => range?.startsWith("bytes=")),
      ranges.join(),
    );
    assert.ok(mediaRequests().every(({ headers }) => headers.authorization));
  });

  it("refreshes a token that has expired between two requests only once, for the page, too", async () => {
    await open();
    bed.homeserver.tokenLifetimes.refreshable = 2000;
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    bed.homeserver.tokenLifetimes.refreshable = 300_000;
    await tab.waitForTrue("Date.now() > session.expiresAt * 1000");
    const old = await tab.run<string>("String(session.expiresAt)");
    bed.requestLog.splice(0);
    await Promise.all([show(picture), show(picture)]);
    assert.equal(await show(picture), 3);
    await tab.waitForTrue(`String(session.expiresAt) !== ${JSON.stringify(old)}`);
    await tab.run("whoami().then(() => undefined)");
    assert.equal(refreshes(), 1);
  });

  it("adds each homeserver's token to its own requests, and none once the user has signed out", async () => {
    await open();
    await signIn("alice", bed.homeserver);
    const first = await uploadPicture();
    await signIn("bob", bed.other);
    const second = await uploadPicture();
    assert.deepEqual([await show(first), await show(second)], [3, 3]);
    const tokens = new Set(mediaRequests().map(({ headers }) => headers.authorization));
    assert.equal(tokens.size, 2);

    await tab.run("session.signOut().then(() => undefined)");
    bed.requestLog.splice(0);
    assert.deepEqual([await show(first), await show(second)], [3, 0]);
    const sent = mediaRequests().map(({ headers }) => headers.authorization !== undefined);
    assert.deepEqual(sent, [true, false]);
  });

  /** Opens two tabs with a worker and an image, and waits until the session's token has expired. */
  const openTwo = async (): Promise<{ picture: string; tabs: readonly Tab[] }> => {
    const tabs = [tab, await profile.newTab()];
    await open(tab, { worker: false });
    bed.homeserver.tokenLifetimes.refreshable = 2000;
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    await open(tabs[1], { worker: false });
    await useMediaWorker(tab, "/versions/worker.js");
    for (const each of tabs) {
      await each.waitForTrue("navigator.serviceWorker.controller !== null");
      assert.equal(await show(picture, each), 3);
      await each.run("void (window.first = navigator.serviceWorker.controller)");
    }
    bed.homeserver.tokenLifetimes.refreshable = 300_000;
    await tab.waitForTrue("Date.now() > session.expiresAt * 1000");
    bed.requestLog.splice(0);
    return { picture, tabs };
  };
  const update = async (): Promise<void> => {
    await bed.update();
    await tab.run("void navigator.serviceWorker.ready.then((worker) => worker.update())");
  };
  const waitForUpdate = async (tabs: readonly Tab[]): Promise<void> => {
    for (const each of tabs) {
      await each.waitForTrue("navigator.serviceWorker.controller !== window.first");
    }
  };
  const assertRefreshedOnce = async (): Promise<void> => {
    assert.equal(refreshes(), 1);
    assert.equal(await tab.run("whoami().then(() => session.state)"), "signed-in");
  };

  it("continues in two tabs with a new worker, using the token that the first worker has refreshed", async () => {
    const { picture, tabs } = await openTwo();
    assert.deepEqual(await Promise.all(tabs.map((each) => show(picture, each))), [3, 3]);
    await update();
    await waitForUpdate(tabs);
    assert.deepEqual(await Promise.all(tabs.map((each) => show(picture, each))), [3, 3]);
    await assertRefreshedOnce();
  });

  it(
    "loses no image in two tabs while the worker is updated, and refreshes the token once",
    needs("requests while a worker is replaced"),
    async () => {
      const { picture, tabs } = await openTwo();
      await update();
      const shown = tabs.map((each) => show(picture, each));
      await waitForUpdate(tabs);
      assert.deepEqual(await Promise.all(shown), [3, 3]);
      for (const each of tabs) assert.equal(await show(picture, each), 3);
      await assertRefreshedOnce();
    },
  );

  it("loses no session if the worker is older than the page, and cannot read its records", async () => {
    await open();
    bed.homeserver.tokenLifetimes.refreshable = 2000;
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    assert.equal(await show(picture), 3);
    bed.homeserver.tokenLifetimes.refreshable = 300_000;

    const newer = `${bed.page}&build=/versions/core.js`;
    const reload = async (): Promise<void> => {
      await tab.goto(newer);
      await tab.waitForTrue("window.isReady");
      await resumeSession(tab, optionsOf("alice", bed.homeserver));
    };
    await reload();
    await tab.waitForTrue("Date.now() > session.expiresAt * 1000");
    bed.requestLog.splice(0);
    // The worker has the refresh token, but cannot open the database.
    assert.equal(await show(picture), 3);
    assert.equal(refreshes(), 1);
    // So the page stores the new tokens.
    const isStored = (): Promise<boolean> =>
      new Promise((resolve) => {
        const opening = indexedDB.open("matrix-auth-elements");
        opening.onsuccess = () => {
          const sessions = opening.result.transaction("sessions").objectStore("sessions").getAll();
          sessions.onsuccess = () => {
            opening.result.close();
            const [record] = sessions.result as readonly string[];
            const { tokenResponse } = JSON.parse(record ?? "") as {
              tokenResponse: { expires_at: number };
            };
            resolve(tokenResponse.expires_at === window.session.expiresAt);
          };
        };
      });
    await untilInPage(tab, isStored);
    await tab.run("navigator.serviceWorker.ready.then((worker) => worker.unregister())");
    await reload();
    assert.equal(await tab.run("session.refresh().then(() => session.state)"), "signed-in");

    // A page with the older build reports an error, and the session stays.
    const restore = `import("/dist/cdn/core.js").then((older) =>
      older.restoreSession({ store: "indexedDB", key: session.key }))`;
    const failure = await failureOf(tab, restore);
    assert.equal(failure, "storage_unavailable");
    assert.equal(await tab.run("whoami().then(() => session.state)"), "signed-in");
  });

  it("ignores requests with a token, with another method, or to another server", async () => {
    await open();
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    bed.requestLog.splice(0);

    assert.equal(await statusOf(picture, { headers: { Authorization: "Bearer other" } }), 401);
    assert.equal(await statusOf(picture, { method: "POST" }), 405);
    assert.equal(await statusOf(picture.replace("/media/", "/medium/")), 404);
    assert.equal(await statusOf(picture.replace(/download.*/, "preview_url?url=x")), 404);
    assert.equal(await statusOf(picture.replace(bed.homeserver.baseUrl, bed.other.baseUrl)), 401);
    const sent = bed.requestLog
      .filter(({ preflight }) => !preflight)
      .map(({ headers }) => headers.authorization);
    assert.deepEqual(sent, ["Bearer other", undefined, undefined, undefined, undefined]);
  });

  it("sends no token to another server that the homeserver redirects to", async () => {
    await open();
    await signIn("alice", bed.redirecting);
    const picture = await uploadPicture();
    assert.equal(await statusOf(picture), 200);
    const [request] = bed.elsewhere.filter(({ preflight }) => !preflight);
    assert.equal(request?.path, "/_matrix/client/versions");
    assert.equal(request.headers.authorization, undefined);
  });

  it("shows the homeserver's response without a token", sameInEveryEngine, async () => {
    await open();
    bed.homeserver.tokenLifetimes.refreshable = 2000;
    await signIn("alice", bed.homeserver);
    const picture = await uploadPicture();
    await tab.waitForTrue("Date.now() > session.expiresAt * 1000");
    bed.faults["/refresh"] = { status: 403, html: "<h1>Proxy</h1>" };
    assert.equal(await statusOf(picture), 401);
    assert.equal(await tab.run("session.state"), "signed-in");
  });
});
