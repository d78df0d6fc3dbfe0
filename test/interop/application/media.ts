import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { folder } from "../../e2e/testbed.js";
import type { Loopback } from "../synapse/loopback.js";

/** Serves the page whose service worker adds the session's token to media. */
export const startMediaPages = (): Promise<Loopback> =>
  startPages({ roots: { "/": folder("test/e2e/pages"), "/dist/": folder("dist") } });

/**
 * Signs in with a password, and requires that an image and a sound of the homeserver are shown and played with the worker,
 * and only with it. No homeserver of these tests supports ranges.
 */
export async function assertMediaNeedsWorker(
  tab: Tab,
  { origin }: Loopback,
  baseUrl: string,
  account: { readonly user: string; readonly password: string },
): Promise<void> {
  await tab.goto(`${origin}/session.html?store=indexedDB`);
  await tab.waitForTrue("window.isReady");
  const login = JSON.stringify({
    homeserverUrl: baseUrl,
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
}
