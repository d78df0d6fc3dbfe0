// The policies of docs/guides/content-security-policy.md. The flows of sign-in.test.ts, matrix-login.test.ts, loading.test.ts and uia.test.ts
// run under "script tag", those of popup.test.ts under "widget", and the pages of integrity.test.ts under "hashes".
// The others are tried here.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Tab } from "./driver/driver.js";
import { needs } from "./driver/engine.js";
import { inPage } from "./driver/page.js";
import { useFixture } from "./fixture.js";
import { startPasswordTestbed, type PasswordTestbed } from "./password-testbed.js";
import { startPages } from "../../demo/server/pages.js";
import { policyOf, TITLES, type Policy } from "./policy.js";
import { folder } from "./testbed.js";
import {
  assertNoViolations,
  pressBegin,
  submitField,
  submitPassword,
  waitForState,
} from "./user-actions.js";
import { SUITE } from "../support/wait-for.mjs";

const ELSEWHERE = "https://elsewhere.example/";

/** What a page must not do, by the directive that it violates. Each runs in the page. */
const OFFENCES: Readonly<Record<string, (elsewhere: string) => unknown>> = {
  "style-src-attr": () => document.body.setAttribute("style", "color: red"),
  "connect-src": (elsewhere) => fetch(elsewhere).then(() => undefined),
  "require-trusted-types-for": () => void (document.body.innerHTML = "<b>"),
  "trusted-types": () => {
    const { trustedTypes } = window as { trustedTypes?: { createPolicy(...a: unknown[]): void } };
    trustedTypes?.createPolicy("mine", {});
  },
  "base-uri": (href) =>
    document.head.append(Object.assign(document.createElement("base"), { href })),
  "form-action": (action) => {
    const form = Object.assign(document.createElement("form"), { action });
    document.body.append(form);
    form.submit();
  },
  "frame-src": (src) =>
    document.body.append(Object.assign(document.createElement("iframe"), { src })),
};

describe("The content security policies of docs/guides/content-security-policy.md", SUITE, () => {
  let bed: PasswordTestbed;
  let tab: Tab;

  const withPolicy = (title: Policy): void =>
    useFixture(
      { servers: "per test", profile: "per suite" },
      () => startPasswordTestbed(title),
      (fixture) => ({ bed, tab } = fixture),
    );
  const begin = async (page: string, ...stages: readonly string[]): Promise<void> => {
    bed.homeserver.uia.flows = [[...stages]];
    await tab.goto(`${bed.pages}/${page}?homeserver=${bed.homeserver.baseUrl}`);
    await pressBegin(tab);
    await waitForState(tab, "uia-dialog", "awaiting-input");
  };
  const assertSuccess = async (): Promise<void> => {
    await tab.waitForTrue("window.events.some(({ type }) => type === 'uia-success')");
    await assertNoViolations(tab);
  };

  for (const [title, page] of [
    ["defaults", "protected.html"],
    ["script tag", "classic.html"],
    ["import map", "modules.html"],
  ] as const) {
    describe(`"${title}"`, () => {
      withPolicy(title);

      it(`allows a phone number and a password in ${page} under "${title}"`, async () => {
        await begin(page, "m.login.msisdn", "m.login.password");
        await tab.waitForTrue("document.querySelectorAll('uia-dialog option').length > 200");
        await tab.run("void (document.querySelector('uia-dialog [name=country]').value = 'GB')");
        await submitField(tab, "phone", "07700 900123");
        await tab.waitFor("uia-dialog [name=code]");
        await submitField(tab, "code", bed.lastCode());
        await submitPassword(tab);
        await assertSuccess();
      });
    });
  }

  describe('"nonces"', () => {
    withPolicy("nonces");

    it('allows scripts, the files that they load, and styles under "nonces"', async () => {
      await begin("nonces.html", "m.login.password");
      // This homeserver supports only passwords.
      await waitForState(tab, "oidc-login", "unsupported");
      const button = "document.querySelector('oidc-login').shadowRoot.querySelector('button')";
      // The value is from the element's styles; no browser has it by default.
      assert.equal(await tab.run(`getComputedStyle(${button}).display`), "flex");
      await submitPassword(tab);
      await assertSuccess();
    });
  });

  describe('"captcha"', () => {
    let captcha: Awaited<ReturnType<typeof startPages>>;
    useFixture(
      { servers: "per suite", profile: "per suite" },
      async () => {
        captcha = await startPages({ roots: { "/": folder("test/e2e/pages") } });
        const servers = await startPasswordTestbed("captcha", `${captcha.origin}/`);
        const close = async (): Promise<void> =>
          void (await Promise.all([captcha.close(), servers.close()]));
        return { ...servers, close };
      },
      (fixture) => ({ bed, tab } = fixture),
    );

    it('allows the script of loadCaptcha, and scripts that it adds, under "captcha"', async () => {
      await begin("captcha.html", "m.login.recaptcha");
      await tab.waitForTrue(
        "document.querySelector('iframe[src$=\"captcha-frame.html\"]') !== null",
      );
      await tab.waitForTrue("window.rendered !== undefined");
      // The page loads an icon and an injected script.
      const violations = await tab.run<readonly string[]>("window.violations");
      assert.ok(violations.length > 0);
      for (const each of violations) assert.match(each, /script-src-elem .*captcha-gadget\.js/);
    });

    it('forbids an injected script from the captcha\'s host under "captcha"', async () => {
      await tab.goto(`${bed.pages}/captcha.html?homeserver=${bed.homeserver.baseUrl}`);
      await tab.waitForTrue("window.violations.some((each) => each.includes('gadget.js'))");
      assert.equal(await tab.run("'gadget' in window"), false);
    });
  });

  describe('"frame"', () => {
    withPolicy("frame");

    it('allows <uia-fallback-frame mode="frame"> under "frame"', async () => {
      const { baseUrl, uia } = bed.homeserver;
      bed.faults["/fallback/web"] = {
        headers: { "X-Frame-Options": null, "Content-Security-Policy": null },
      };
      uia.registrationFlows = [["m.login.terms"]];
      const response = await fetch(`${baseUrl}/_matrix/client/v3/register`, {
        method: "POST",
        body: JSON.stringify({ username: "hal", password: "a-long-password" }),
      });
      const { session } = (await response.json()) as { readonly session: string };
      const query = { homeserver: baseUrl, stage: "m.login.terms", session, mode: "frame" };
      await tab.goto(`${bed.pages}/frame.html?${new URLSearchParams(query).toString()}`);
      await tab.waitForTrue(
        "performance.getEntriesByType('resource').some(({ initiatorType }) => initiatorType === 'iframe')",
      );
      await tab.click("uia-fallback-frame", "[part=finished]");
      await tab.waitForTrue("window.events.at(-1)?.type === 'uia-fallback-done'");
      await assertNoViolations(tab);
    });
  });

  describe('"two copies"', () => {
    withPolicy("two copies");

    it('allows two copies of the library under "two copies"', async () => {
      await tab.goto(`${bed.pages}/two-copies.html`);
      await tab.waitForTrue("customElements.get('uia-dialog') !== undefined");
      await assertNoViolations(tab);
    });
  });

  describe('"script tag", broken on purpose', () => {
    withPolicy("script tag");

    it('forbids a second copy of the library without "allow-duplicates"', async () => {
      await tab.goto(`${bed.pages}/two-copies.html`);
      await tab.waitForTrue("window.violations.some((each) => each.includes('trusted-types'))");
    });

    it("reports violations to these tests through the event and the observer", async () => {
      await tab.goto(`${bed.pages}/protected.html`);
      for (const [directive, offend] of Object.entries(OFFENCES)) {
        // The browser throws for some of them, too.
        await inPage(tab, offend, ELSEWHERE).catch(() => undefined);
        for (const way of needs("reports on policies").skip ? ["event"] : ["event", "report"]) {
          const start = JSON.stringify(`${way}: ${directive}`);
          await tab.waitForTrue(`window.violations.some((each) => each.startsWith(${start}))`);
        }
      }
    });
  });

  it("forbid injected <base> elements and forms, and framing the page on sites that are not listed", () => {
    assert.ok(TITLES.length > 8);
    for (const title of TITLES) {
      const servers = {
        homeserver: "https://matrix",
        issuer: "https://auth",
        site: "https://blog",
      };
      const directives = policyOf(title as Policy, servers).split("; ");
      const ancestors = title === "widget" ? "https://blog" : "'none'";
      for (const directive of [
        "base-uri 'none'",
        "form-action 'none'",
        `frame-ancestors ${ancestors}`,
      ])
        assert.ok(directives.includes(directive), `${title}: ${directive}`);
      // A host with many files is no protection, and plugins are scripts.
      assert.doesNotMatch(directives.join(), /script-src[^,]*(http|unsafe-)/, title);
      assert.match(directives.join(), /(default|object)-src 'none'/, title);
    }
  });

  it("have a copyable header that equals the tested policy", async () => {
    const page = await readFile("docs/guides/content-security-policy.md", "utf8");
    const [, header] = /^Content-Security-Policy: (.+)$/m.exec(page) ?? [];
    const [, tested] = /# script tag\n([^`]+)```/.exec(page) ?? [];
    assert.equal(header, tested?.trim().replace(/\n/g, " "));
  });
});
