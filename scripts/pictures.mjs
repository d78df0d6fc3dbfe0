/* global document */
// `npm run pictures`: takes the documentation's pictures of the real elements with the demo's servers, and notes what
// each shows. With `--check` it writes nothing, and fails where that has changed since. Tools for visual regression
// compare pixels, which differ with each machine's fonts.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { format } from "prettier";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "./browser.mjs";
import { describePage } from "./pictures/describe.mjs";
import { compress } from "./pictures/png.mjs";
import { SCENES } from "./pictures/scenes.mjs";
import { startServers } from "./pictures/servers.mjs";
import { main } from "./run.mjs";

const FOLDER = "docs/pictures";
const NOTES = join(FOLDER, "pictures.json");
const check = process.argv.includes("--check");

/** @typedef {import("./pictures/scenes.mjs").Scene} Scene */

/**
 * @param {import("playwright-core").Browser} browser
 * @param {import("./pictures/servers.mjs").Servers} servers
 * @param {Scene} scene
 */
async function perform(browser, servers, { size: [width, height], acts, colorScheme = "light" }) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: "reduce",
    locale: "en",
  });
  await servers.connect(context);
  const page = await context.newPage();
  await page.goto(servers.page);
  const frames = acts.length === 1 ? [page.mainFrame()] : await split(page, servers.page);
  for (const [nth, act] of acts.entries()) await act(frames[nth] ?? page.mainFrame(), servers);
  // Nothing is hovered.
  await page.mouse.move(0, 0);
  const shows = await settledLook(frames);
  const picture = check ? undefined : compress(await page.screenshot({ animations: "disabled" }));
  await context.close();
  return { shows, picture };
}

/**
 * What frames show once nothing fades, or is rendered, any more: the same twice, with a pause between.
 *
 * @param {readonly import("playwright-core").Frame[]} frames
 */
async function settledLook(frames) {
  const look = async () =>
    (await Promise.all(frames.map((each) => each.evaluate(describePage)))).flat();
  for (let before = await look(); ;) {
    await delay(250);
    const after = await look();
    if (String(after) === String(before)) return after;
    before = after;
  }
}

/**
 * Puts two frames side by side: a dialog covers only its own.
 *
 * @param {import("playwright-core").Page} page
 * @param {string} url
 */
async function split(page, url) {
  await page.evaluate((src) => {
    document.body.innerHTML = `<iframe src="${src}"></iframe><iframe src="${src}"></iframe>`;
  }, url);
  const frames = page.frames().slice(1);
  for (const frame of frames) await frame.waitForLoadState();
  return frames;
}

await main(async () => {
  const servers = await startServers();
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: CHROMIUM_ARGUMENTS,
  });
  /** @type {Record<string, string[]>} */
  const notes = {};
  try {
    if (!check) {
      await rm(FOLDER, { recursive: true, force: true });
      await mkdir(FOLDER, { recursive: true });
    }
    for (const [name, scene] of Object.entries(SCENES)) {
      const { shows, picture } = await perform(browser, servers, scene);
      notes[name] = shows;
      if (picture) await writeFile(join(FOLDER, `${name}.png`), picture);
    }
  } finally {
    await browser.close();
    await servers.close();
  }
  const text = await format(JSON.stringify(notes), { parser: "json", printWidth: 100 });
  if (!check) await writeFile(NOTES, text);
  else await compare(notes);
  console.log(`✔ ${Object.keys(notes).length} pictures`);
});

/** @param {Record<string, string[]>} notes */
async function compare(notes) {
  /** @type {Record<string, string[]>} */
  const known = JSON.parse(await readFile(NOTES, "utf8"));
  const present = (await readdir(FOLDER)).filter((name) => name.endsWith(".png")).sort();
  const faults = Object.entries(notes).flatMap(([name, shows]) => {
    const before = known[name] ?? [];
    return [
      ...before.filter((line) => !shows.includes(line)).map((line) => `${name}: − ${line}`),
      ...shows.filter((line) => !before.includes(line)).map((line) => `${name}: + ${line}`),
    ];
  });
  const wanted = Object.keys(notes)
    .map((name) => `${name}.png`)
    .sort();
  if (String(present) !== String(wanted)) faults.push(`The files are ${present.join(", ")}`);
  if (faults.length > 0) {
    throw new Error(`Pictures are out of date: run \`npm run pictures\`.\n${faults.join("\n")}`);
  }
}
