import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { run } from "./run.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

const PLACES = [
  ...(process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name))),
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/**
 * What a browser under test is started with: nothing that asks the network, and no sandbox for root,
 * who may not have one.
 */
export const CHROMIUM_ARGUMENTS = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @returns {Promise<string | undefined>} The path of a Chromium: `CHROMIUM_PATH`, else one that is installed. */
export async function findChromium() {
  const places = process.env.CHROMIUM_PATH ? [process.env.CHROMIUM_PATH] : PLACES;
  for (const place of places) {
    try {
      await access(place);
      return place;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/**
 * Finds a Chromium, or installs one where that is possible without asking: on Debian and Ubuntu, as root.
 *
 * @returns {Promise<string>} Its path.
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found) return found;
  if (process.getuid?.() !== 0 || process.platform !== "linux") {
    throw new Error(
      "The tests need Chromium or Chrome. Install one (Debian: sudo apt-get install chromium), or set CHROMIUM_PATH.",
    );
  }
  console.log("No Chromium found: installing Debian's package chromium …");
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get update", "apt-get", ["update", "-qq"], { env });
  await run("apt-get install chromium", "apt-get", ["install", "-y", "-qq", "chromium"], { env });
  const installed = await findChromium();
  if (!installed)
    throw new Error("Chromium was installed but is not on the PATH. Set CHROMIUM_PATH.");
  return installed;
}
