import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { startTestbed, type Testbed } from "./testbed.js";

describe("Languages, by a script tag", { timeout: 120_000 }, () => {
  let driver: Driver;
  let bed: Testbed;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
    bed = await startTestbed();
  });
  after(async () => {
    await bed.close();
    await driver.close();
  });
  beforeEach(async () => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
  });
  afterEach(() => profile.close());

  const open = (page: string): Promise<void> => tab.goto(`${bed.pages}/languages/${page}.html`);
  /** What the two buttons of the page say: the page's, and the one with a `lang` of its own. */
  const LABELS = `[...document.querySelectorAll("oidc-login")].map(
    (each) => each.shadowRoot?.querySelector("[part=label]").textContent.trim())`;
  const says = (...labels: readonly string[]): Promise<void> =>
    tab.waitForTrue(`JSON.stringify(${LABELS}) === '${JSON.stringify(labels)}'`);
  const loaded = (): Promise<readonly string[]> =>
    tab.run(`performance.getEntriesByType("resource").map(({ name }) => name)
      .filter((name) => /languages|locales/.test(name)).map((name) => name.split("/").at(-1))`);
  const setLanguage = (lang: string): Promise<void> =>
    tab.run(`document.documentElement.lang = "${lang}"`);
  const quiet = async (): Promise<void> => {
    await tab.run(`new Promise((done) => setTimeout(done, 300))`);
  };

  it("loads the page's language, and only that, without further ado", async () => {
    await open("on-demand");
    await says("Anmelden", "Sign in");
    assert.deepEqual(await loaded(), ["languages.js", "de.js"]);
    await setLanguage("de-AT");
    await quiet();
    assert.deepEqual(await loaded(), ["languages.js", "de.js"]);
    await says("Anmelden", "Sign in");
    assert.deepEqual(tab.warnings, []);
  });

  it("loads nothing for a page in English", async () => {
    await tab.goto(`${bed.pages}/login.html`);
    await tab.waitForTrue(`document.querySelector("oidc-login").shadowRoot !== null`);
    await setLanguage("en-AU");
    await quiet();
    assert.deepEqual(await loaded(), []);
  });

  it("loads nothing for a language that it does not have, or that is none", async () => {
    await tab.goto(`${bed.pages}/login.html`);
    for (const lang of ["eo", "xx_broken!", "constructor", ""]) {
      await setLanguage(lang);
      await quiet();
    }
    assert.deepEqual(await loaded(), ["languages.js"]);
    await says("Sign in");
    assert.deepEqual(tab.warnings, []);
  });

  it("stays English where the language cannot be loaded, without an error", async () => {
    await open("alone");
    await tab.waitForTrue(`document.querySelector("oidc-login").shadowRoot !== null`);
    await tab.run(`(() => {
      window.failures = [];
      window.addEventListener("unhandledrejection", ({ reason }) => window.failures.push(String(reason)));
    })()`);
    await setLanguage("de-CH");
    await quiet();
    await says("Sign in", "Sign in");
    assert.deepEqual(await tab.run("window.failures"), []);
    assert.deepEqual(
      // The browser's own words on a file that is not there.
      tab.warnings.filter((text) => !/404|(languages|login)\.js/.test(text)),
      [],
    );
  });

  it("shows no English first where the page brings the language itself", async () => {
    await open("beforehand");
    await says("Anmelden", "Sign in");
    await quiet();
    assert.deepEqual(await loaded(), ["de.js"]);
  });

  it("takes a language by a classic script", async () => {
    await open("classic");
    await says("Anmelden", "Sign in");
    await tab.run(`MatrixAuthElements.registerTranslation({ $code: "de", signIn: "Los" })`);
    await says("Los", "Sign in");
    assert.deepEqual(await loaded(), ["de.global.js"]);
    assert.deepEqual(tab.warnings, []);
  });
});
