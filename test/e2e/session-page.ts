// What tests do on test/e2e/pages/session.html.
import type { PasswordLogin, SessionOptions } from "matrix-auth-elements/core";
import type { Tab } from "./driver/driver.js";
import { inPage } from "./driver/page.js";

/** Signs in with a password, and keeps the session. */
export const signInWithPassword = (
  tab: Tab,
  login: PasswordLogin,
  options: SessionOptions,
): Promise<void> =>
  inPage(
    tab,
    async (given, kept) => {
      const { core } = window;
      window.hold(new core.LegacySession(await core.loginWithPassword(given), kept));
      await window.session.stored;
    },
    login,
    options,
  );

/** Continues with the stored session. */
export const resumeSession = (tab: Tab, options: SessionOptions): Promise<void> =>
  inPage(tab, async (given) => window.hold(await window.core.restoreSession(given)), options);

/** Registers the worker that adds the session's token to media, and waits until it controls the page. */
export async function useMediaWorker(tab: Tab, script = "/media-worker.js"): Promise<void> {
  await inPage(
    tab,
    async (url) => void (await navigator.serviceWorker.register(url, { scope: "/" })),
    script,
  );
  await tab.waitForTrue("navigator.serviceWorker.controller !== null");
}

interface Media {
  readonly type: string;
  readonly base64: string;
}

/** An image with a width of 3 pixels. */
export const PICTURE: Media = {
  type: "image/png",
  base64:
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAQAAAAC1D1u3AAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC",
};

/** Silence of some seconds, with one byte for each of 8,000 samples a second. */
export function silence(seconds: number): Media {
  const rate = 8000;
  const file = Buffer.alloc(44 + seconds * rate, 128);
  file.write("RIFF....WAVEfmt ");
  file.writeUInt32LE(file.length - 8, 4);
  file.writeUInt32LE(16, 16);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const) {
    file.writeUInt16LE(value, at);
  }
  for (const at of [24, 28]) file.writeUInt32LE(rate, at);
  file.write("data", 36);
  file.writeUInt32LE(file.length - 44, 40);
  return { type: "audio/wav", base64: file.toString("base64") };
}

/** Uploads a file with the session of the page. @returns Its download URL. */
export const upload = (tab: Tab, media: Media): Promise<string> =>
  inPage(
    tab,
    async ({ type, base64 }) => {
      const { session } = window;
      const response = await session.fetch(`${session.homeserverUrl}/_matrix/media/v3/upload`, {
        method: "POST",
        headers: { "Content-Type": type },
        body: Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)),
      });
      const { content_uri: uri } = (await response.json()) as { content_uri: string };
      return `${session.homeserverUrl}/_matrix/client/v1/media/download/${uri.slice(6)}`;
    },
    media,
  );

/** The width of an image once it is shown; 0 if it cannot be loaded. */
export const showImage = (tab: Tab, url: string): Promise<number> =>
  inPage(
    tab,
    (src) =>
      new Promise<number>((resolve) => {
        const image = new Image();
        image.onload = () => resolve(image.naturalWidth);
        image.onerror = () => resolve(0);
        image.src = `${src}?${Math.random()}`;
        document.body.replaceChildren(image);
      }),
    url,
  );
