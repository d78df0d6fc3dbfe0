// Which files of dist/cdn/ a page loads, and when. Their sizes are tested in test/package.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { waitForTrue, type Tab } from "./driver/driver.js";
import { needs, sameInEveryEngine } from "./driver/engine.js";
import { inPage, untilInPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { failureOf, Login } from "./login.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { startTestbed, type Testbed } from "./testbed.js";
import {
  assertNoViolations,
  pressBegin,
  resourceTimings,
  submitField,
  submitPassword,
  waitForDialogText,
  waitForState,
} from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const OPTIONS = { ...SUITE, ...sameInEveryEngine };

const FIRST = "matrix-auth-elements.js";

/** The loaded files of dist/cdn/, in their order. It runs in the page. */
function loadedFiles(): readonly string[] {
  const files = performance.getEntriesByType("resource").map(({ name }) => name);
  return files.flatMap((name) => /[/](?:dist[/]cdn|alone)[/](.+)/.exec(name)?.[1] ?? []);
}

/** Gives the dialog an app's request that needs these stages. It runs in the page. */
function askFor(...stages: readonly string[]): void {
  const refusal = (auth: Readonly<Record<string, string>> | null): Error =>
    Object.assign(new Error("refused"), {
      httpStatus: 401,
      data: {
        session: "s",
        flows: [{ stages }],
        params: { "m.login.recaptcha": { public_key: "key" } },
        completed: auth?.["type"] ? [auth["type"]] : [],
        error: auth?.["password"] && `Received ${auth["password"]}`,
      },
    });
  Object.assign(document.querySelector("uia-dialog"), {
    userId: "@alice:example.org",
    loadCaptcha: async () => ({ render: (place: Element) => place.append("the captcha") }),
    doRequest: async (auth: Readonly<Record<string, string>> | null) =>
      Promise.reject(refusal(auth)),
  });
}

describe("A page loads only the files that it uses", OPTIONS, () => {
  let tab: Tab;

  const loaded = (): Promise<readonly string[]> => inPage(tab, loadedFiles);
  /** Parallel requests arrive in any order. */
  const waitForExactly = (...files: readonly string[]): Promise<void> =>
    waitForTrue(
      `only ${files.join()}`,
      async () => [...(await loaded())].sort().join() === [...files].sort().join(),
    );
  const waitForFiles = (...files: readonly string[]): Promise<void> =>
    waitForExactly(FIRST, ...files);

  describe("to sign in", () => {
    let bed: Testbed;
    let login: Login;

    useFixture(
      { servers: "per suite", profile: "per suite" },
      () => startTestbed({ autoApprove: "alice" }),
      (fixture) => {
        ({ bed, tab } = fixture);
        login = new Login(bed, tab);
      },
    );

    it("loads login.js while idle, and authorization.js when the user is about to click", async () => {
      await login.open();
      await waitForFiles("login.js");
      await inPage(tab, () => {
        document.querySelector("oidc-login").addEventListener("oidc-redirect", (event) => {
          event.preventDefault();
          window.events = [{ type: "leaves" }];
        });
      });
      await waitForState(tab, "oidc-login", "ready");
      assert.deepEqual(await loaded(), [FIRST, "login.js"]);
      await tab.run("document.querySelector('oidc-login').focus()");
      await waitForFiles("login.js", "authorization.js");
      await login.click();
      await tab.waitForTrue("window.events[0]?.type === 'leaves'");
      assert.deepEqual(await loaded(), [FIRST, "login.js", "authorization.js"]);
    });

    it("loads login.js without a homeserver, and sends no request to a server", async () => {
      await tab.goto(`${bed.pages}/login.html`);
      await waitForFiles("login.js");
      assert.equal(await tab.run("document.querySelector('oidc-login').state"), "idle");
      assert.deepEqual(bed.takeRequests(), []);
    });

    it("loads callback.js after the return", async () => {
      await login.signIn();
      await waitForFiles("callback.js", "requests.js", "outcome-view.js");
    });

    it("loads session.js before the code is used if the session is kept", async () => {
      await login.signIn({ "redirect-uri": "/kept.html" });
      await waitForFiles("session.js", "callback.js", "requests.js", "outcome-view.js");
      const [session, token] = await resourceTimings(tab, "/session.js", "/token");
      assert.ok(session && token && session.responseEnd <= token.startTime);
      // The page's scripts import the same classes from that file.
      const shared = await inPage(tab, async () => {
        const file = "/dist/cdn/session.js";
        const { HomeserverClient, OidcSession } = (await import(
          file
        )) as typeof import("matrix-auth-elements/core");
        const { client, session } = document.querySelector("oidc-callback");
        const restored = await OidcSession.restore({ store: "localStorage" });
        return [
          session instanceof OidcSession,
          client instanceof HomeserverClient,
          session?.state,
          restored?.state,
          (await client?.whoami())?.user_id.split(":")[0],
        ];
      });
      assert.deepEqual(shared, [true, true, "signed-in", "signed-in", "@alice"]);
      await assertNoViolations(tab);
    });

    it("loads popup-login.js and login-completion.js while idle if the provider will be in a popup", async () => {
      await login.open({ mode: "popup" });
      const files = ["login-completion.js", "login.js", "requests.js", "popup-login.js"];
      await waitForFiles(...files);
      await login.click();
      await tab.waitForTrue("window.events.at(-1)?.type === 'oidc-success'");
      // A sign-in in a popup always has a session, if only in memory.
      await waitForFiles(...files, "authorization.js", "session.js");
    });

    const CALLBACK = [
      "elements/oidc-callback.js",
      "elements/oidc-callback/callback.js",
      "elements/oidc-callback/outcome-view.js",
      "requests.js",
    ];
    const OWN = { "redirect-uri": "/own-oidc-callback.html" };
    const openOwn = async (attributes: Readonly<Record<string, string>> = {}): Promise<void> => {
      await tab.goto(login.url({ ...OWN, ...attributes }, "own-oidc-login.html"));
      await waitForState(tab, "oidc-login", "ready");
    };

    it("loads only the element's own files for oidc-login.js and oidc-callback.js", async () => {
      await openOwn();
      await waitForExactly("elements/oidc-login.js", "elements/oidc-login/login.js");
      await tab.run("document.documentElement.lang = 'de'");
      const language = ["languages.js", "locales/de.js"];
      await waitForExactly("elements/oidc-login.js", "elements/oidc-login/login.js", ...language);
      await login.click();
      await login.waitForSuccess();
      await waitForExactly(...CALLBACK);
      assert.match((await login.whoami()).user_id, /^@alice:/);
    });

    it("completes a sign-in in a popup between oidc-login.js and oidc-callback.js", async () => {
      await openOwn({ mode: "popup" });
      const parts = ["login-completion", "login", "popup-login"].map(
        (name) => `elements/oidc-login/${name}.js`,
      );
      await waitForExactly("elements/oidc-login.js", ...parts, "requests.js");
      await login.click();
      await tab.waitForTrue("window.events.at(-1)?.type === 'oidc-success'");
      assert.match((await login.whoami("oidc-login")).user_id, /^@alice:/);
      assert.deepEqual(tab.warnings, []);
    });

    const METADATA = `document.querySelector("oidc-callback").client.getAuthMetadata()`;

    it("loads auth-metadata.js when the client requests the provider's metadata", async () => {
      await login.signIn();
      assert.equal(await tab.run(`${METADATA}.then(({ issuer }) => issuer)`), bed.issuer);
      await waitForFiles("callback.js", "requests.js", "outcome-view.js", "auth-metadata.js");
      await login.signIn(OWN);
      assert.equal(await tab.run(`${METADATA}.then(({ issuer }) => issuer)`), bed.issuer);
      await waitForExactly(...CALLBACK, "auth-metadata.js");
    });

    it(
      "rejects getAuthMetadata() with load_failed while auth-metadata.js cannot be loaded",
      needs("cutting the network", "loading a module again"),
      async () => {
        await login.signIn();
        await tab.setOffline(true);
        assert.equal(await failureOf(tab, METADATA), "load_failed");
        await tab.setOffline(false);
        assert.equal(await failureOf(tab, METADATA), null);
      },
    );

    describe("in a language", () => {
      const open = (page: string): Promise<void> => tab.goto(`${bed.pages}/${page}.html`);
      /** The labels of the page's buttons. */
      const waitForLabels = (...labels: readonly string[]): Promise<void> =>
        untilInPage(
          tab,
          (...wanted) => {
            const shown = [...document.querySelectorAll("oidc-login")].map(({ shadowRoot }) =>
              shadowRoot?.querySelector<HTMLElement>("[part=label]")?.textContent.trim(),
            );
            return JSON.stringify(shown) === JSON.stringify(wanted);
          },
          ...labels,
        );
      const languageFiles = async (): Promise<readonly string[]> =>
        (await loaded()).filter((file) => /languages|locales/.test(file));
      const setLanguage = (lang: string): Promise<void> =>
        inPage(tab, (value) => void (document.documentElement.lang = value), lang);
      /** Loads another file, after the page's earlier requests. */
      const loadImage = (): Promise<void> =>
        inPage(tab, async () => {
          const image = new Image();
          image.src = `/icon.svg?${Math.random()}`;
          await image.decode();
        });

      it("loads only the page's language, and no second file for a variant of it", async () => {
        await open("login");
        await setLanguage("de");
        await waitForLabels("Anmelden");
        await setLanguage("de-AT");
        await loadImage();
        await waitForLabels("Anmelden");
        assert.deepEqual(await languageFiles(), ["languages.js", "locales/de.js"]);
        assert.deepEqual(tab.warnings, []);
      });

      it("loads nothing for English", async () => {
        await open("login");
        await waitForLabels("Sign in");
        await setLanguage("en-AU");
        await loadImage();
        assert.deepEqual(await languageFiles(), []);
      });

      it("loads no language for unknown or invalid tags", async () => {
        await open("login");
        await waitForLabels("Sign in");
        for (const lang of ["eo", "xx_broken!", "constructor", ""]) {
          await setLanguage(lang);
          await waitForTrue("languages.js", async () => (await loaded()).includes("languages.js"));
          await loadImage();
        }
        assert.deepEqual(await languageFiles(), ["languages.js"]);
        await waitForLabels("Sign in");
        assert.deepEqual(tab.warnings, []);
      });

      it("stays in English without an error if the language cannot be loaded", async () => {
        await open("alone");
        await waitForLabels("Sign in");
        await setLanguage("de-CH");
        await loadImage();
        await waitForLabels("Sign in");
        await assertNoViolations(tab);
        // The browser's messages for missing files.
        const others = tab.warnings.filter((text) => !/404|(languages|login|uia)\.js/.test(text));
        assert.deepEqual(others, []);
      });

      it("loads no other file if the page has loaded the language first", async () => {
        await open("german-first");
        await waitForLabels("Anmelden", "Sign in");
        await loadImage();
        assert.deepEqual(await languageFiles(), ["locales/de.js"]);
      });

      it("accepts a language and the page's strings from a classic script", async () => {
        await open("german-classic");
        await waitForLabels("Anmelden", "Sign in");
        await tab.run(`MatrixAuthElements.registerTranslation({ $code: "de", signIn: "Los" })`);
        await waitForLabels("Los", "Sign in");
        assert.deepEqual(await languageFiles(), ["locales/de.js"]);
        assert.deepEqual(tab.warnings, []);
      });
    });
  });

  describe("for User-Interactive Authentication", () => {
    let bed: PasswordTestbed;

    useFixture({ servers: "per test", profile: "per suite" }, startPasswordTestbed, (fixture) => {
      ({ bed, tab } = fixture);
    });

    const openPage = async (): Promise<void> => {
      await tab.goto(`${bed.pages}/protected.html?homeserver=${bed.homeserver.baseUrl}`);
      await waitForFiles("uia.js");
    };
    const open = async (...stages: readonly string[]): Promise<void> => {
      bed.homeserver.uia.flows = [[...stages]];
      await openPage();
      await pressBegin(tab);
      await waitForState(tab, "uia-dialog", "awaiting-input");
    };
    /** A dialog that needs no network to show stages: any submission completes each. */
    const openOffline = async (...stages: readonly string[]): Promise<void> => {
      await openPage();
      await inPage(tab, askFor, ...stages);
      await tab.setOffline(true);
      await tab.run("document.querySelector('uia-dialog').open = true");
    };
    const waitForCaptcha = (): Promise<void> =>
      tab.waitForTrue("document.querySelector('.uia-captcha')?.textContent === 'the captcha'");

    it("loads uia.js while idle, and no files for signing in", async () => {
      await open("m.login.password");
      await submitPassword(tab);
      await tab.waitForTrue("window.events[0]?.type === 'uia-success'");
      assert.deepEqual(await loaded(), [FIRST, "uia.js"]);
    });

    it("loads a rare stage before it starts, with the code for the homeserver's page", async () => {
      await open("m.login.password", "m.login.recaptcha");
      await tab.waitFor("uia-dialog [name=password]");
      // This page has no script for captchas.
      await waitForFiles("uia.js", "registration-stages.js", "typed-code.js", "fallback.js");
    });

    it(
      "loads a rare stage again on “try again” if it could not be loaded",
      needs("cutting the network", "loading a module again"),
      async () => {
        await openOffline("m.login.recaptcha");
        await waitForDialogText(tab, "couldn’t be loaded");
        await tab.setOffline(false);
        await tab.click("uia-dialog", "[part=submit]");
        await waitForCaptcha();
      },
    );

    it(
      "loads a rare stage when it starts if it couldn't be loaded beforehand",
      needs("cutting the network", "loading a module again"),
      async () => {
        await openOffline("m.login.password", "m.login.recaptcha");
        await tab.waitFor("uia-dialog [name=password]");
        await waitForFiles("uia.js", "registration-stages.js", "typed-code.js");
        await tab.setOffline(false);
        await submitPassword(tab);
        await waitForCaptcha();
      },
    );

    for (const [when, isOffline, status] of [
      ["loads", false, { error: "Received …" }],
      ["can't load", true, { errcode: "unexpected_status" }],
    ] as const) {
      it(
        `reads the error of another client without secrets if it ${when} the code that masks them`,
        needs("cutting the network"),
        async () => {
          await openOffline("m.login.password", "m.login.terms");
          await tab.waitFor("uia-dialog [name=password]");
          await tab.setOffline(isOffline);
          await submitPassword(tab);
          const shown = "JSON.stringify(document.querySelector('uia-dialog').session.status)";
          await tab.waitForTrue(`${shown} === '${JSON.stringify(status)}'`);
          await tab.setOffline(false);
          assert.ok((await loaded()).includes("secrets.js"));
        },
      );
    }

    it("loads only the dialog's own files for uia-dialog.js", async () => {
      bed.homeserver.uia.flows = [["m.login.password"]];
      await tab.goto(`${bed.pages}/own-uia-dialog.html?homeserver=${bed.homeserver.baseUrl}`);
      await pressBegin(tab);
      await submitPassword(tab);
      await tab.waitForTrue("window.events[0]?.type === 'uia-success'");
      assert.deepEqual(await loaded(), ["elements/uia-dialog.js", "elements/uia-dialog/uia.js"]);
    });

    it("finds the shared files above the folder of uia-dialog.js's own files", async () => {
      bed.homeserver.uia.flows = [["m.login.msisdn", "m.login.sso"]];
      await tab.goto(`${bed.pages}/own-uia-dialog.html?homeserver=${bed.homeserver.baseUrl}`);
      await pressBegin(tab);
      await tab.waitFor("uia-dialog [name=phone]");
      const parts = ["uia", "phone", "typed-code", "waits", "fallback"].map(
        (name) => `elements/uia-dialog/${name}.js`,
      );
      await waitForExactly("elements/uia-dialog.js", ...parts, "optional/phone-numbers.js");
    });

    it("loads only the frame's own files for uia-fallback-frame.js, and opens the homeserver's page", async () => {
      await tab.goto(`${bed.pages}/own-uia-fallback-frame.html`);
      const { baseUrl } = bed.homeserver;
      await inPage(
        tab,
        (url) => void (document.querySelector("uia-fallback-frame").homeserver = url),
        baseUrl,
      );
      const parts = ["uia-fallback-frame.js", "uia-fallback-frame/fallback.js"];
      await waitForExactly(...parts.map((file) => `elements/${file}`));
      const page = await tab.clickOpening("uia-fallback-frame", "[part=open]");
      await page.waitForUrl("/auth/m.login.terms/fallback/web?session=s");
    });

    it("loads fallback.js for a stage that is completed on another page", async () => {
      await open("m.login.password", "m.login.sso");
      await tab.waitFor("uia-dialog [name=password]");
      await waitForFiles("uia.js", "fallback.js");
    });

    it("loads the phone stage with its number data, and no other file for the code step", async () => {
      const phone = [
        ...["uia.js", "phone.js", "typed-code.js", "waits.js"],
        "optional/phone-numbers.js",
      ];
      await open("m.login.msisdn");
      await tab.waitFor("uia-dialog [name=phone]");
      await waitForFiles(...phone);
      await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
      await submitField(tab, "phone", "07700 900123");
      await tab.waitFor("uia-dialog [name=code]");
      assert.deepEqual([...(await loaded())].sort(), [FIRST, ...phone].sort());
    });
  });
});
