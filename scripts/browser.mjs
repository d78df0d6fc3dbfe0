// The browsers under test: installed ones, otherwise Debian's packages, which get security updates. Playwright's
// and Puppeteer's builds lack WebKitGTK. `node scripts/browser.mjs chromium` installs a browser.
import { execFileSync } from "node:child_process";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages, mayInstall } from "./apt.mjs";

/**
 * The options of a browser under test: no network requests, and no sandbox for root, which can't
 * have one.
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

/** Firefox paints in software, so painting less often saves a fifth of its processor time. */
export const FIREFOX_PREFERENCES = { "layout.frame_rate": 15 };

/**
 * @typedef {object} Program
 * @property {string} title
 * @property {readonly string[]} names Its names on the `PATH`.
 * @property {readonly string[]} [places] Its paths on other systems.
 * @property {string} variable The environment variable that can set another path.
 * @property {readonly string[]} packages Its Debian packages.
 * @property {boolean} [optional] Whether the tests work without it.
 */

/** The programs that tests need in addition to Node. */
export const PROGRAMS = {
  /** Chromium's headless shell, which takes a third less processor time than the whole Chromium. */
  shell: {
    title: "Chromium's headless shell",
    names: ["chromium-headless-shell", "chrome-headless-shell"],
    variable: "CHROMIUM_PATH",
    packages: ["chromium-headless-shell"],
    optional: true,
  },
  chromium: {
    title: "Chromium or Chrome",
    names: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
    places: [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    ],
    variable: "CHROMIUM_PATH",
    packages: ["chromium"],
  },
  firefox: {
    title: "Firefox",
    names: ["firefox-esr", "firefox"],
    places: [
      "/Applications/Firefox.app/Contents/MacOS/firefox",
      "C:\\Program Files\\Mozilla Firefox\\firefox.exe",
    ],
    variable: "FIREFOX_PATH",
    packages: ["firefox-esr"],
  },
  webkit: {
    title: "WebKitGTK's driver",
    names: ["WebKitWebDriver"],
    variable: "WEBKIT_DRIVER_PATH",
    packages: ["webkit2gtk-driver"],
  },
  /** WebKitGTK always needs a display for its window. */
  xvfb: { title: "Xvfb", names: ["Xvfb"], variable: "XVFB_PATH", packages: ["xvfb"] },
};

/** @param {Program} program */
async function find({ names, places = [], variable }) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const given = process.env[variable];
  for (const place of given ? [given] : [...onPath, ...places]) {
    try {
      await access(place);
      return place;
    } catch {
      // The program is not here.
    }
  }
  return undefined;
}

/**
 * Finds programs, and installs the missing ones together if no prompt is needed: on Debian and Ubuntu, as
 * root.
 *
 * @param {readonly Program[]} programs
 * @returns {Promise<string[]>} Their paths.
 */
export async function ensurePrograms(programs) {
  const found = await Promise.all(programs.map(find));
  const missing = programs.filter(
    ({ optional }, nth) => found[nth] === undefined && (mayInstall || !optional),
  );
  if (missing.length > 0) await install(missing);
  return Promise.all(
    programs.map(
      async (program) => (await find(program)) ?? (program.optional ? "" : lost(program)),
    ),
  );
}

/** @param {Program} program @returns {never} */
function lost({ title, variable }) {
  throw new Error(`${title} was installed but is not on the PATH. Set ${variable}.`);
}

/** @param {readonly Program[]} programs */
async function install(programs) {
  const titles = programs.map(({ title }) => title).join(", ");
  const packages = programs.flatMap((program) => program.packages);
  const variables = programs.map(({ variable }) => variable).join(", ");
  if (!mayInstall) {
    throw new Error(
      `These tests need ${titles}. Install it (Debian: sudo apt-get install ${packages.join(" ")}), or set ${variables}.`,
    );
  }
  console.log(`Not there: ${titles}. Installing Debian's ${packages.join(" ")} …`);
  try {
    installPackages(packages);
  } catch (cause) {
    // Ubuntu has no package for the shell.
    const needed = programs.filter(({ optional }) => !optional);
    if (needed.length === programs.length) {
      const advice = `Install ${titles} yourself, or set ${variables}.`;
      throw new Error(`${cause instanceof Error ? cause.message : cause}. ${advice}`, { cause });
    }
    if (needed.length > 0) await install(needed);
  }
}

/** @param {Program} program */
const ensure = async (program) => (await ensurePrograms([program]))[0] ?? "";

/** @returns {Promise<string>} The path of a Chromium with windows and settings, installed if missing. */
export const ensureWholeChromium = () => ensure(PROGRAMS.chromium);

/** @returns {Promise<string>} The path of the headless shell, else of a Chromium, installed if missing. */
export async function ensureChromium() {
  const [shell = "", whole = ""] = await ensurePrograms([PROGRAMS.shell, PROGRAMS.chromium]);
  return shell || whole;
}

/** @returns {Promise<string>} The path of a Firefox. Installed if missing. */
export const ensureFirefox = () => ensure(PROGRAMS.firefox);

/** @returns {Promise<{ driver: string, xvfb: string }>} The paths of the programs, installed if missing. */
export async function ensureWebKit() {
  const [driver = "", xvfb = ""] = await ensurePrograms([PROGRAMS.webkit, PROGRAMS.xvfb]);
  return { driver, xvfb };
}

/**
 * @param {string} path The path of a Chromium or a Firefox.
 * @returns Its version, such as `156.0.8078.79`.
 */
export const versionOf = (path) =>
  /\d[\w.]*/.exec(
    execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  )?.[0] ?? "";

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = /** @type {(keyof typeof PROGRAMS)[]} */ (process.argv.slice(2));
  await ensurePrograms(names.map((name) => PROGRAMS[name])).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
