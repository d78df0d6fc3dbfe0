// Authenticated media of a real Synapse, which does not support ranges, through the page's service worker.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startPages } from "../../../demo/server/pages.js";
import { freshName } from "../../contract/api-client.js";
import { useBrowser } from "../../e2e/fixture.js";
import { folder } from "../../e2e/testbed.js";
import { startSynapse, type Synapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

describe("Authenticated media of Synapse", SUITE, () => {
  const browser = useBrowser();
  let server: Synapse;
  let pages: Awaited<ReturnType<typeof startPages>>;

  before(async () => {
    server = await startSynapse();
    pages = await startPages({
      roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") },
    });
  });
  after(() => Promise.all([server.close(), pages.close()]));

  it("is shown and played with the worker, and hidden from everyone else", async () => {
    const account = { user: freshName(), password: "a-long-password" };
    await server.createAccount(account);
    const tab = await browser.profile.newTab();
    await tab.goto(`${pages.origin}/session.html?store=indexedDB`);
    await tab.waitForTrue("window.isReady");
    const login = JSON.stringify({
      homeserverUrl: server.baseUrl,
      identifier: { type: "m.id.user", user: account.user },
      password: account.password,
    });
    await tab.run(`core.loginWithPassword(${login}).then(async (result) => {
      hold(new core.LegacySession(result, { store: "indexedDB" }));
      await session.stored;
    })`);
    await tab.run(`Promise.resolve().then(async () => {
      const upload = async (type, body) => {
        const url = session.homeserverUrl + "/_matrix/media/v3/upload";
        const headers = { "Content-Type": type };
        const response = await session.fetch(url, { method: "POST", headers, body });
        const { content_uri } = await response.json();
        return session.homeserverUrl + "/_matrix/client/v1/media/download/" + content_uri.slice(6);
      };
      const canvas = new OffscreenCanvas(3, 2);
      canvas.getContext("2d");
      window.picture = await upload("image/png", await canvas.convertToBlob());
      const silence = new Uint8Array(8044).fill(128);
      const header = "RIFF\\x64\\x1f\\0\\0WAVEfmt \\x10\\0\\0\\0\\x01\\0\\x01\\0\\x40\\x1f\\0\\0\\x40\\x1f\\0\\0\\x01\\0\\x08\\0data\\x40\\x1f\\0\\0";
      silence.set([...header].map((each) => each.charCodeAt(0)));
      window.sound = await upload("audio/wav", silence);
    })`);
    const show = (): Promise<number> =>
      tab.run(`new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(image.naturalWidth);
        image.onerror = () => resolve(0);
        image.src = picture + "?" + Math.random();
      })`);
    const play = (): Promise<number> =>
      tab.run(`new Promise((resolve) => {
        const audio = new Audio();
        audio.crossOrigin = "anonymous";
        audio.onloadedmetadata = () => resolve(audio.duration);
        audio.onerror = () => resolve(0);
        audio.src = sound;
      })`);

    assert.deepEqual([await show(), await play()], [0, 0]);
    await tab.run(`void navigator.serviceWorker.register("/media-worker.js")`);
    await tab.waitForTrue("navigator.serviceWorker.controller !== null");
    assert.deepEqual([await show(), await play()], [3, 1]);
  });
});
