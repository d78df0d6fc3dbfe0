/* global document */
// `npm run pictures`: takes the documentation's screenshots of the elements, with the test servers, and notes
// their content. With `--check` it writes nothing, and fails if the content has changed. Tools for visual
// regression compare pixels, which differ with each machine's fonts.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { chromium } from "playwright-core";
import { format } from "prettier";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { installPackages } from "../../scripts/packages.mjs";
import { describePage } from "./describe.mjs";
import { SCENES } from "./scenes.mjs";
import { startServers } from "./servers.mjs";

const FOLDER = "docs/pictures";
const NOTES = join(FOLDER, "pictures.json");

const check = process.argv.includes("--check");
/** Screenshots of interfaces have hardly more than 256 colors: with a palette they are a quarter as large. */
const PNG = { palette: true, dither: 0, effort: 10, compressionLevel: 9 };

/** @typedef {{ name: string, shows: string[], screenshot: Buffer }} Picture */

/** @param {Picture[]} pictures */
async function write(pictures) {
  await installPackages("tools/pictures");
  const { default: sharp } = await import("sharp");
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const { name, screenshot } of pictures) {
    await writeFile(join(FOLDER, `${name}.png`), await sharp(screenshot).png(PNG).toBuffer());
  }
  const notes = Object.fromEntries(pictures.map(({ name, shows }) => [name, shows]));
  await writeFile(NOTES, await format(JSON.stringify(notes), { parser: "json", printWidth: 100 }));
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {import("./servers.mjs").Servers} servers
 * @param {import("./scenes.mjs").Scene} scene
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
  // Moves the pointer away from the elements.
  await page.mouse.move(0, 0);
  const shows = await settledLook(frames);
  const screenshot = await page.screenshot({ animations: "disabled" });
  await context.close();
  return { shows, screenshot };
}

/**
 * The content of the frames once animations and rendering have ended: two descriptions, with a pause between,
 * are the same.
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
 * Shows two pages side by side in frames, because a dialog covers only its own frame.
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

/**
 * @param {Picture[]} pictures
 * @returns {Promise<string[]>} The differences.
 */
async function compare(pictures) {
  /** @type {Record<string, string[]>} */
  const known = JSON.parse(await readFile(NOTES, "utf8"));
  const faults = pictures.flatMap(({ name, shows }) => {
    const before = known[name] ?? [];
    return [
      ...before.filter((line) => !shows.includes(line)).map((line) => `${name}: − ${line}`),
      ...shows.filter((line) => !before.includes(line)).map((line) => `${name}: + ${line}`),
    ];
  });
  const present = (await readdir(FOLDER)).filter((name) => name.endsWith(".png")).sort();
  const wanted = pictures.map(({ name }) => `${name}.png`).sort();
  if (String(present) !== String(wanted)) faults.push(`The files are ${present.join(", ")}`);
  return faults;
}

const servers = await startServers();
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: CHROMIUM_ARGUMENTS,
});
/** @type {Picture[]} */
const pictures = [];
try {
  for (const [name, scene] of Object.entries(SCENES)) {
    pictures.push({ name, ...(await perform(browser, servers, scene)) });
  }
} finally {
  await browser.close();
  await servers.close();
}
const faults = check ? await compare(pictures) : [];
if (!check) await write(pictures);
if (faults.length > 0) {
  console.error(`✖ Pictures are out of date: run \`npm run pictures\`.\n${faults.join("\n")}`);
  process.exitCode = 1;
} else console.log(`✔ ${pictures.length} pictures`);
