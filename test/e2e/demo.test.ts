import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { recordOperation, sameInEveryEngine } from "./driver/engine.js";
import { inPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import {
  atProvider,
  comeBack,
  openFallback,
  pasteHomeserver,
  submitPassword,
  waitForAccountText,
  waitForPageText,
  waitForState,
} from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

interface Demo {
  readonly url: string;
  reset(): void;
  close(): Promise<void>;
}

async function startDemo(): Promise<Demo> {
  const demo = spawn(process.execPath, ["demo/server/start.js", "--port", "8180"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    demo.stdout.on("data", (text: Buffer) => {
      output += text.toString();
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
      if (found) resolve(found);
    });
    demo.on("exit", () => reject(new Error(`The demo ended: ${output}`)));
  });
  return {
    url,
    reset: () => undefined,
    async close() {
      demo.removeAllListeners("exit");
      demo.kill("SIGTERM");
      const [code] = (await once(demo, "exit")) as [number | null];
      assert.equal(code, 0, "the exit code");
    },
  };
}

/** Some browsers log this: the provider rejects a registration with a port, so another one follows. */
const REFUSED_PORT =
  "Failed to load resource: the server responded with a status of 400 (Bad Request)";

describe("The demo of `npm start`", SUITE, () => {
  let driver: Driver;
  let url: string;
  let profile: Profile;
  let tab: Tab;

  useFixture({ servers: "per suite", profile: "per test" }, startDemo, (fixture) => {
    ({
      driver,
      profile,
      tab,
      bed: { url },
    } = fixture);
  });

  const contentOf = (selector: string): string =>
    `document.querySelector("${selector}").textContent`;
  const waitForNew = (selector: string, old: string): Promise<void> =>
    tab.waitForTrue(`${contentOf(selector)} !== ${JSON.stringify(old)}`);
  const signIn = async (path: string, name = "alice"): Promise<void> => {
    await tab.goto(url + path);
    await tab.click("oidc-login", "[part=button]");
    await atProvider.signIn(tab, name);
  };
  const renewToken = async (): Promise<void> => {
    const masked = await tab.run<string>(contentOf("#token"));
    assert.match(masked, /^.{6}•+$/);
    await tab.click("#show");
    await waitForNew("#token", masked);
    const old = await tab.run<string>(contentOf("#token"));
    await tab.click("#renew");
    await waitForNew("#token", old);
    assert.match(await tab.run(contentOf("#token")), /^[\w-]{20,}$/);
  };
  /** The demo's other homeserver. */
  const passwordHomeserver = async (): Promise<string> => {
    const page = await (await fetch(`${url}/password.html`)).text();
    return /data-homeserver="http:\/\/([^"]+)"/.exec(page)?.[1] ?? "";
  };

  it(
    "keeps two accounts on the start page, switches between them, and signs out of one",
    sameInEveryEngine,
    async () => {
      const current = (): Promise<string> =>
        tab.run(contentOf(".account[aria-pressed=true]")) as Promise<string>;
      const waitForCurrent = (userId: string): Promise<void> =>
        tab.waitForTrue(
          `${contentOf("#current")}.includes(${JSON.stringify(`you are ${userId}`)})`,
        );
      const passwords = await passwordHomeserver();
      // While the field appears, the content below it moves, and a click might miss.
      const field = "matrix-login [name=homeserver]";
      await tab.goto(url);
      await tab.waitFor(field);
      await tab.click(`#homeservers button[value="${passwords}"]`);
      await waitForState(tab, "matrix-login", "ready");
      await tab.type("matrix-login [name=username]", "bob");
      await tab.type("matrix-login [name=password]", "bob-demo-password");
      await tab.press("Enter");
      await waitForCurrent(`@bob:${passwords}`);
      await tab.click("#add");
      await tab.waitFor(field);
      // Otherwise keyboard users would start at the top again.
      await tab.waitForTrue("document.activeElement.id === 'sign-in'");
      await tab.click("#homeservers button");
      await waitForState(tab, "matrix-login", "ready");
      await tab.run("void document.querySelector('matrix-login').start('oauth')");
      await atProvider.signIn(tab, "alice");
      await waitForCurrent("@alice:");
      assert.match(await current(), /^@alice:/);
      await tab.run("void (document.dir = 'rtl')");
      const direction = "getComputedStyle(document.querySelector('.account')).direction";
      assert.equal(await tab.run(direction), "ltr", "of a user ID");
      await tab.click("#current a");
      await waitForPageText(tab, "Hello, Alice.");
      await tab.goto(url);
      await waitForCurrent("@alice:");
      await tab.click(".account[aria-pressed=false]");
      await waitForCurrent(`@bob:${passwords}`);
      await tab.click("#current a");
      await waitForPageText(tab, "Hello, Bob.");
      await tab.click("#reset-keys");
      await waitForPageText(tab, "Your new master key");
      await tab.click("#sign-out");
      await waitForPageText(tab, "You’re signed out.");
      await waitForCurrent("@alice:");
      assert.equal(await tab.run("document.querySelectorAll('.account').length"), 1);
      // Each homeserver lacks one of the two methods, and browsers log a 404.
      assert.deepEqual(
        tab.warnings.filter((warning) => !/status of 40[04]/.test(warning)),
        [],
      );
    },
  );

  it(
    "signs in with the npm modules, refreshes the token, and signs out in every tab",
    sameInEveryEngine,
    async () => {
      await signIn("/oauth.html");
      await tab.waitForUrl("/account.html");
      await waitForPageText(tab, "Hello, Alice.");
      await waitForState(tab, "matrix-account", "ready");
      await renewToken();
      const second = await profile.newTab();
      await second.goto(`${url}/account.html`);
      await waitForPageText(second, "Hello, Alice.");
      await tab.click("#sign-out");
      for (const each of [tab, second]) await waitForPageText(each, "You’re signed out.");
      await tab.goto(`${url}/account.html`);
      await waitForPageText(tab, "You are not signed in.");
      assert.deepEqual(
        tab.warnings.filter((each) => each !== REFUSED_PORT),
        [],
      );
    },
  );

  it("signs in with a script tag, and opens the provider's account page", async () => {
    await signIn("/script-tag/");
    await tab.waitForUrl("/script-tag/account.html");
    await waitForPageText(tab, "Hello, Alice.");
    await waitForState(tab, "matrix-account", "ready");
    const links = await tab.run<string[]>(
      `[...document.querySelector("matrix-account").shadowRoot.querySelectorAll("a")]
        .map(({ href }) => new URL(href).search)
        .filter((search) => !search.includes("device_id"))`,
    );
    // The provider does not list deactivation, which is on its first page.
    assert.deepEqual(links, [
      "?action=org.matrix.devices_list",
      "?action=org.matrix.profile",
      "?action=org.matrix.profile",
      "",
    ]);
    // Links need the provider's metadata, not its keys.
    const requests = await tab.run<string[]>(
      `performance.getEntriesByType("resource")
        .map(({ name }) => new URL(name))
        .filter(({ origin }) => origin !== location.origin)
        .map(({ pathname }) => pathname)`,
    );
    // The user's server name depends on the port.
    const paths = requests.map((path) => path.replace(/%3A.*/, "")).sort();
    assert.deepEqual(paths, [
      "/.well-known/openid-configuration",
      "/_matrix/client/v1/auth_metadata",
      "/_matrix/client/v3/account/whoami",
      "/_matrix/client/v3/capabilities",
      "/_matrix/client/v3/devices",
      // The page's greeting, and the element's profile.
      ...Array<string>(2).fill("/_matrix/client/v3/profile/%40alice"),
    ]);
    assert.deepEqual(
      tab.warnings.filter((each) => each !== REFUSED_PORT),
      [],
    );
  });

  it("no longer lists a device that the user has removed on the provider's page", async () => {
    const other = await driver.newProfile();
    const phone = await other.newTab();
    await phone.goto(`${url}/oauth.html`);
    await phone.click("oidc-login", "[part=button]");
    await atProvider.signIn(phone, "bob");
    await waitForPageText(phone, "Hello, Bob.");
    const deviceId = await phone.run<string>(contentOf("#device"));

    await signIn("/oauth.html", "bob");
    await waitForState(tab, "matrix-account", "ready");
    const devices = "document.querySelector('matrix-account').devices.length";
    assert.equal(await tab.run(devices), 2);
    await tab.click("matrix-account", "ul:not(.own) [id^=details]");
    const page = await tab.clickOpening("matrix-account", `a[href$="device_id=${deviceId}"]`);
    await atProvider.confirm(page, "remove");
    await waitForPageText(page, `${deviceId} is removed.`);
    await page.close();
    await comeBack(tab);
    await tab.waitForTrue(`${devices} === 1`);
    await waitForAccountText(tab, "Signed out: Lantern");
    await phone.click("#renew");
    await waitForPageText(phone, "You’re signed out.");
    await other.close();
    recordOperation("account-links");
  });

  it("replaces keys once the user has approved it on the provider's page", async () => {
    await signIn("/script-tag/");
    await tab.click("#reset-keys");
    await waitForPageText(tab, "Your new master key");
    const first = await tab.run<string>(contentOf("#keys"));
    const uploads = `performance.getEntriesByType("resource")
      .filter(({ name }) => name.endsWith("/device_signing/upload")).length`;
    const before = await tab.run<number>(uploads);
    await tab.click("#reset-keys");
    const page = await openFallback(tab);
    await page.click("[name=allow]");
    await waitForNew("#keys", first);
    // One upload is rejected and one succeeds. In between, the number of polls depends on the time.
    assert.ok((await tab.run<number>(uploads)) - before >= 2);
    assert.equal(await tab.run(contentOf("#problem")), "");
    recordOperation("oauth");
  });

  for (const [page, name] of [
    ["classic", "bob"],
    ["minimal", "alice"],
  ] as const) {
    it(
      `signs in on script-tag/${page}.html, and shows the user ID`,
      sameInEveryEngine,
      async () => {
        await signIn(`/script-tag/${page}.html`, name);
        await waitForPageText(tab, `@${name}:`);
      },
    );
  }

  it(
    "signs a device out on script-tag/protected.html after requesting the password",
    sameInEveryEngine,
    async () => {
      await tab.goto(`${url}/script-tag/protected.html`);
      await tab.click("#delete");
      await submitPassword(tab);
      await waitForPageText(tab, "It is signed out.");
    },
  );

  it("creates an account", sameInEveryEngine, async () => {
    await tab.goto(`${url}/oauth.html`);
    await tab.click("oidc-login[prompt=create]", "[part=button]");
    await atProvider.createAccount(tab, "dora");
    await waitForPageText(tab, "Hello, Somebody New.");
    recordOperation("create");
  });

  it(
    "shows an error for an unknown homeserver, and offers passwords if the homeserver has no other method",
    sameInEveryEngine,
    async () => {
      await tab.goto(`${url}/oauth.html`);
      await waitForState(tab, "oidc-login", "ready");
      const own = await tab.run<string>("document.querySelector('#homeserver').value");
      await pasteHomeserver(tab, "#homeserver", "not a homeserver");
      await tab.click("oidc-login", "[part=button]");
      await waitForState(tab, "oidc-login", "error");
      await pasteHomeserver(tab, "#homeserver", own);
      await waitForState(tab, "oidc-login", "ready");
      await pasteHomeserver(tab, "#homeserver", await passwordHomeserver());
      await waitForState(tab, "oidc-login", "unsupported");
      await tab.click("oidc-login", "[part=button]");
      await tab.click("[slot='error-oidc_not_supported'] a");
      await tab.waitForUrl("password.html");
      await waitForPageText(tab, "alice");
    },
  );

  it("signs in with a code that the user confirms on another device", async () => {
    const showsCode = "document.querySelector('#codes').checkVisibility()";
    await tab.goto(`${url}/device.html`);
    assert.equal(await tab.run(showsCode), false);
    const own = await tab.run<string>("document.querySelector('#homeserver').value");
    await pasteHomeserver(tab, "#homeserver", await passwordHomeserver());
    await tab.click("#show-code");
    await tab.waitForTrue(`${contentOf("#problem")} !== ""`);
    await pasteHomeserver(tab, "#homeserver", own);
    await tab.click("#show-code");
    await tab.waitFor("#code");
    await tab.click("#cancel");
    await tab.waitForTrue(`!${showsCode}`);
    assert.equal(await tab.run(contentOf("#problem")), "");

    // The provider asks for five seconds between two polls; here they pass faster.
    await inPage(tab, () => {
      const { setTimeout } = globalThis;
      const faster = (call: () => void, ms = 0): unknown => setTimeout(call, ms / 10);
      Object.assign(globalThis, { setTimeout: faster });
    });
    await tab.click("#show-code");
    await tab.waitFor("#code");
    assert.ok(await tab.run("document.querySelector('#picture svg').getBBox().width > 20"));
    const phone = await driver.newProfile();
    const other = await phone.newTab();
    await other.goto(await tab.run("document.querySelector('#address').href"));
    await atProvider.enterCode(other, await tab.run(contentOf("#code")));
    await atProvider.signIn(other, "carol");
    await tab.waitForUrl("/account.html");
    await waitForPageText(tab, "Hello, Carol.");
    await phone.close();
    await renewToken();
    // "Not yet" is a 403, and browsers log the other homeserver's 404, and a rejected port.
    assert.deepEqual(
      tab.warnings.filter((warning) => !/status of 40[034]/.test(warning)),
      [],
    );
    recordOperation("device-grant");
  });

  it("uses the language that the user chooses, on every page", sameInEveryEngine, async () => {
    const label = "document.querySelector('oidc-login').shadowRoot.querySelector('[part=label]')";
    const waitForLabel = (text: string): Promise<void> =>
      tab.waitForTrue(`${label}?.innerText.trim() === ${JSON.stringify(text)}`);
    await tab.goto(`${url}/oauth.html`);
    await tab.waitFor("#language");
    await inPage(tab, () => {
      const select = document.querySelector("#language") as HTMLSelectElement;
      select.value = "he";
      select.dispatchEvent(new Event("change"));
    });
    await waitForLabel("כניסה");
    await tab.goto(`${url}/script-tag/`);
    await waitForLabel("כניסה");
    assert.equal(await tab.run("document.querySelector('#language').value"), "he");
    assert.equal(await tab.run("document.documentElement.lang"), "en");
    assert.deepEqual(tab.warnings, []);
  });
});
