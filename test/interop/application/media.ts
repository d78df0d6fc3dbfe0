import assert from "node:assert/strict";
import { startPages } from "../../../demo/server/pages.js";
import type { Tab } from "../../e2e/driver/driver.js";
import { inPage } from "../../e2e/driver/page.js";
import {
  PICTURE,
  showImage,
  signInWithPassword,
  silence,
  upload,
  useMediaWorker,
} from "../../e2e/session-page.js";
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
  const login = {
    homeserverUrl: baseUrl,
    identifier: { type: "m.id.user", user: account.user },
    password: account.password,
  } as const;
  await signInWithPassword(tab, login, { store: "indexedDB" });
  const [picture, sound] = [await upload(tab, PICTURE), await upload(tab, silence(1))];
  const play = (): Promise<number> =>
    inPage(
      tab,
      (src) =>
        new Promise<number>((resolve) => {
          const audio = new Audio();
          audio.crossOrigin = "anonymous";
          audio.onloadedmetadata = () => resolve(audio.duration);
          audio.onerror = () => resolve(0);
          audio.src = src;
        }),
      sound,
    );

  assert.deepEqual([await showImage(tab, picture), await play()], [0, 0]);
  await useMediaWorker(tab);
  assert.deepEqual([await showImage(tab, picture), await play()], [3, 1]);
}
