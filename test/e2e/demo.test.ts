import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { shown, startBrowser } from "./driver/engine.js";
import type { Driver, Profile, Tab } from "./driver/driver.js";
import { atProvider } from "./user-actions.js";

describe("The demo, as `npm start` runs it", { timeout: 120_000 }, () => {
  let driver: Driver;
  let demo: ChildProcess;
  let address: string;
  let profile: Profile;
  let tab: Tab;

  before(async () => {
    driver = await startBrowser();
    demo = spawn(process.execPath, ["demo/server/start.js", "--port", "8180"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    address = await new Promise<string>((resolve, reject) => {
      let said = "";
      demo.stdout?.on("data", (text: Buffer) => {
        said += text.toString();
        const [found] = /http:\/\/localhost:\d+/.exec(said) ?? [];
        if (found) resolve(found);
      });
      demo.on("exit", () => reject(new Error(`The demo ended: ${said}`)));
    });
  });
  after(async () => {
    demo.removeAllListeners("exit");
    demo.kill("SIGTERM");
    const [code] = (await once(demo, "exit")) as [number | null];
    await driver.close();
    assert.equal(code, 0, "it stops cleanly");
  });
  beforeEach(async () => {
    profile = await driver.newProfile();
    tab = await profile.newTab();
  });
  afterEach(() => profile.close());

  const shows = (text: string): Promise<void> =>
    tab.waitForTrue(`document.body.innerText.includes(${JSON.stringify(text)})`);

  for (const [variant, path] of [
    ["the npm modules", "/"],
    ["a script tag", "/script-tag/"],
  ] as const) {
    it(`signs in with ${variant}, and shows who is signed in, the token masked`, async () => {
      await tab.goto(address + path);
      await shows("alice");
      await tab.click("oidc-login", "[part=button]");
      await atProvider.signIn(tab, "alice");
      await tab.waitForUrl(`${path}account.html`);
      await shows("Hello, Alice.");
      await shows("this one");
      assert.match(await tab.run("document.querySelector('#token').textContent"), /^.{6}•+$/);
      await tab.click("#sign-out");
      await shows("You are signed out.");
      await tab.goto(`${address}${path}account.html`);
      await shows("You are not signed in.");
      assert.deepEqual(tab.warnings, []);
    });
  }

  const signIn = async (): Promise<void> => {
    await tab.goto(address);
    await tab.click("oidc-login", "[part=button]");
    await atProvider.signIn(tab, "alice");
    await shows("Hello, Alice.");
  };
  const token = (): Promise<string> => tab.run("document.querySelector('#token').textContent");

  it("renews the token, and keeps showing it as the person wants to see it", async () => {
    await signIn();
    await tab.click("#show");
    await tab.waitForTrue("document.querySelector('#show').textContent === 'Hide'");
    const old = await token();
    await tab.click("#renew");
    await tab.waitForTrue(
      `document.querySelector('#token').textContent !== ${JSON.stringify(old)}`,
    );
    assert.match(await token(), /^[\w-]{20,}$/);
    await tab.reload();
    await shows("Hello, Alice.");
  });

  it("signs out in every tab", async () => {
    await signIn();
    const second = await profile.newTab();
    await second.goto(`${address}/account.html`);
    await second.waitForTrue("document.body.innerText.includes('Hello, Alice.')");
    await tab.click("#sign-out");
    await second.waitForTrue("document.body.innerText.includes('You are signed out.')");
  });

  it("leads to what the provider lets people do there", async () => {
    await signIn();
    await tab.waitFor("#provider a");
    const actions = await tab.run<string[]>(
      "[...document.querySelectorAll('#provider a')].map(({ href }) => new URL(href).searchParams.get('action'))",
    );
    assert.deepEqual(actions, [
      "org.matrix.profile",
      "org.matrix.devices_list",
      "org.matrix.account_deactivate",
    ]);
    await tab.click("#provider a");
    await shows("Here a person changes their name and picture.");
    shown("account-links");
  });

  const passwordHomeserver = async (): Promise<string> => {
    const page = await (await fetch(`${address}/password.html`)).text();
    return /data-homeserver="http:\/\/([^"]+)"/.exec(page)?.[1] ?? "";
  };

  it("offers its own way where the homeserver knows passwords alone", async () => {
    await tab.goto(address);
    await tab.type("#homeserver", await passwordHomeserver());
    await shows("This homeserver knows passwords alone.");
    await tab.click("[slot='error-oidc_not_supported'] a");
    await shows("alice");
    await tab.waitForUrl("password.html");
  });

  describe("signing in by a code", () => {
    const begin = async (): Promise<void> => {
      await tab.goto(`${address}/device.html`);
      await tab.click("#show-code");
      await tab.waitFor("#code");
    };

    it("shows the code and its picture, and goes on when the person has said yes", async () => {
      await begin();
      assert.ok(await tab.run("document.querySelector('#picture svg').getBBox().width > 20"));
      const phone = await (await driver.newProfile()).newTab();
      await phone.goto(await tab.run("document.querySelector('#address').href"));
      const code = await tab.run<string>("document.querySelector('#code').textContent");
      await atProvider.confirmDevice(phone, code);
      await atProvider.signIn(phone, "carol");
      await shows("Hello, Carol.");
      // "Not yet" is a 400, which browsers write down.
      assert.deepEqual(
        tab.warnings.filter((warning) => !warning.includes("status of 400")),
        [],
      );
      await phone.close();
    });

    it("can be called off, and begun again", async () => {
      await begin();
      await tab.click("#cancel");
      await tab.waitForTrue("document.querySelector('#codes').hidden");
      assert.equal(await tab.run("document.querySelector('#problem').textContent"), "");
      await tab.click("#show-code");
      await tab.waitFor("#code");
    });

    it("says what is wrong with the homeserver", async () => {
      await tab.goto(`${address}/device.html`);
      await tab.type("#homeserver", await passwordHomeserver());
      await tab.click("#show-code");
      await tab.waitForTrue("document.querySelector('#problem').textContent !== ''");
      assert.equal(await tab.run("document.querySelector('#show-code').disabled"), false);
    });
  });

  it("creates an account", async () => {
    await tab.goto(address);
    await tab.click("oidc-login[prompt=create]", "[part=button]");
    await atProvider.createAccount(tab, "dora");
    await shows("Hello, Somebody New.");
  });

  it("works with a classic script", async () => {
    await tab.goto(`${address}/script-tag/classic.html`);
    await tab.click("oidc-login", "[part=button]");
    await atProvider.signIn(tab, "bob");
    await shows("You are @bob:");
  });

  it("speaks the language that a person chooses, on every page", async () => {
    const label = "document.querySelector('oidc-login').shadowRoot.querySelector('[part=label]')";
    const saysIt = (text: string): Promise<void> =>
      tab.waitForTrue(`${label}?.textContent.trim() === ${JSON.stringify(text)}`);
    await tab.goto(address);
    await tab.waitFor("#language");
    await tab.run(`(() => {
      const select = document.querySelector("#language");
      select.value = "he";
      select.dispatchEvent(new Event("change"));
    })()`);
    await saysIt("כניסה");
    await tab.goto(`${address}/script-tag/`);
    await saysIt("כניסה");
    assert.equal(await tab.run("document.querySelector('#language').value"), "he");
    assert.equal(await tab.run("document.documentElement.lang"), "en");
    assert.deepEqual(tab.warnings, []);
  });

  it("says so where nobody is signed in", async () => {
    await tab.goto(`${address}/account.html`);
    await shows("You are not signed in.");
  });

  it("shows an error for a homeserver that is not there, and none for the next one", async () => {
    await tab.goto(address);
    await tab.waitForTrue("document.querySelector('oidc-login').state === 'ready'");
    const own = await tab.run<string>("document.querySelector('#homeserver').value");
    await tab.type("#homeserver", "not a homeserver");
    await tab.waitForTrue("document.querySelector('oidc-login').state === 'error'");
    await tab.type("#homeserver", own);
    await tab.waitForTrue("document.querySelector('oidc-login').state === 'ready'");
  });
});
