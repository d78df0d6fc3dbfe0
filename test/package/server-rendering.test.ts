// The package without a full browser: on a server, and in test environments.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { chromium, type Browser, type Page } from "playwright-core";
import { CHROMIUM_ARGUMENTS, ensureChromium } from "../../scripts/browser.mjs";
import { WAIT_MS } from "../support/wait-for.mjs";

const exec = promisify(execFile);
const TAGS = [
  "oidc-login",
  "matrix-login",
  "oidc-callback",
  "uia-dialog",
  "uia-fallback-frame",
  "matrix-account",
];

/** The output of a script in a separate process; it must print no warning. */
async function outputOf(script: string): Promise<string> {
  const { stdout, stderr } = await exec(process.execPath, ["--input-type=module", "-e", script]);
  assert.equal(stderr, "");
  return stdout.trim();
}

/** Renders markup on a server. */
const rendered = (markup: string): Promise<string> =>
  outputOf(`
    import { render } from "@lit-labs/ssr";
    import { collectResult } from "@lit-labs/ssr/lib/render-result.js";
    import { html, unsafeStatic } from "lit/static-html.js";
    import "matrix-auth-elements/define";
    import "matrix-auth-elements/locales/de";
    const markup = unsafeStatic(${JSON.stringify(markup)});
    console.log(await collectResult(render(html\`\${markup}\`)));`);

/** Modules that make `window`. */
const ENVIRONMENTS = {
  jsdom: `
    import { JSDOM } from "jsdom";
    const { window } = new JSDOM("", { url: "https://app.example/" });`,
  "happy-dom": `
    import { Window } from "happy-dom";
    const window = new Window({ url: "https://app.example/" });`,
};

describe("Server rendering", () => {
  let browser: Browser;
  let page: Page;
  let script: string;
  before(async () => {
    const [executablePath, { outputFiles }] = await Promise.all([
      ensureChromium(),
      build({
        stdin: {
          contents: `
            import "@lit-labs/ssr-client/lit-element-hydrate-support.js";
            import "matrix-auth-elements/define";
            import "matrix-auth-elements/locales/de";`,
          resolveDir: ".",
        },
        bundle: true,
        format: "esm",
        conditions: ["production"],
        write: false,
      }),
    ]);
    script = outputFiles[0]?.text ?? "";
    browser = await chromium.launch({
      executablePath,
      args: [...CHROMIUM_ARGUMENTS],
      timeout: WAIT_MS,
    });
    page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.route("https://app.example/script.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
  });
  after(() => browser?.close());

  for (const tag of TAGS) {
    it(`A server renders <${tag}> without a browser and without a request`, async () => {
      const html = await rendered(`<${tag} homeserver="example.org" open></${tag}>`);
      assert.match(html, new RegExp(`<${tag}[^>]*><template shadowroot="open"`));
    });
  }

  /** Opens a server-rendered page, whose script the returned function loads. */
  async function open(
    lang: string,
    markup: string,
    url = "https://app.example/",
  ): Promise<() => Promise<void>> {
    const body = `<!doctype html><html lang="${lang}"><body>${await rendered(markup)}</body></html>`;
    await page.route(
      ({ pathname }) => pathname === "/",
      (route) => route.fulfill({ contentType: "text/html", body }),
    );
    await page.goto(url);
    return async () => {
      await page.addScriptTag({ type: "module", url: "https://app.example/script.js" });
      await page.waitForFunction(`customElements.get("oidc-login") !== undefined`);
      await page.evaluate(`(async () => {
        const element = document.querySelector("oidc-login");
        for (let nth = 0; nth < 3; nth++) await element.updateComplete;
      })()`);
    };
  }

  const button = `document.querySelector("oidc-login").shadowRoot.querySelector("button")`;
  const shown = async (): Promise<string> => String(await page.evaluate(`${button}.innerText`));
  const place = (): Promise<unknown> =>
    page.evaluate(`JSON.stringify(${button}.getBoundingClientRect())`);

  for (const [what, lang, markup, before_, after_] of [
    ["its own label", "en", "<oidc-login></oidc-login>", "Sign in", "Sign in"],
    [
      "its own label in the language of its own",
      "de",
      `<oidc-login lang="de"></oidc-login>`,
      "Anmelden",
      "Anmelden",
    ],
    [
      "its own label in the page's language, from then on",
      "de",
      "<oidc-login></oidc-login>",
      "Sign in",
      "Anmelden",
    ],
    ["the page's label", "en", "<oidc-login>Come in</oidc-login>", "", ""],
  ] as const) {
    it(`The page hydrates the server's <oidc-login> with ${what}, in its place`, async () => {
      const loadScript = await open(lang, markup);
      assert.equal(await shown(), before_);
      const rendered = await page.evaluateHandle(button);
      const [at] = [await place()];
      await loadScript();
      assert.equal(await shown(), after_);
      assert.equal(
        await page.evaluate(`${button}.getRootNode().querySelectorAll("button").length`),
        1,
      );
      // The button is the same node as before.
      assert.ok(
        await rendered.evaluate(
          (element, now) => element === now,
          await page.evaluateHandle(button),
        ),
      );
      if (before_ === after_) assert.equal(await place(), at);
    });
  }

  it("A click on the hydrated button starts a sign-in", async () => {
    const loadScript = await open("en", "<oidc-login></oidc-login>");
    await loadScript();
    await page.evaluate(
      `document.addEventListener("oidc-error", ({ detail }) => (window.code = detail.code))`,
    );
    await page.click("oidc-login button");
    await page.waitForFunction("window.code");
    assert.equal(await page.evaluate("window.code"), "homeserver_missing");
  });

  it("The page hydrates the server's <oidc-callback> while it completes a sign-in", async () => {
    const thrown: Error[] = [];
    page.on("pageerror", (error) => thrown.push(error));
    const loadScript = await open(
      "en",
      "<oidc-login></oidc-login><oidc-callback></oidc-callback>",
      "https://app.example/?state=mae-unknown&code=c",
    );
    await page.evaluate(
      `document.addEventListener("oidc-error", ({ detail }) => (window.code = detail.code))`,
    );
    await loadScript();
    await page.waitForFunction("window.code");
    assert.equal(await page.evaluate("window.code"), "flow_unknown");
    assert.equal(await page.locator("oidc-callback [part=panel]").count(), 1);
    assert.deepEqual(thrown, []);
  });

  for (const [name, makeWindow] of Object.entries(ENVIRONMENTS)) {
    it(`In ${name} every element is mounted, <oidc-login> prepares, and <uia-dialog> shows a password form`, async () => {
      const output = await outputOf(`
        ${makeWindow}
        // Node has these too, but test runners take them from the window.
        const TAKEN = ["navigator", "Event", "EventTarget", "CustomEvent", "FormData"];
        for (const name of Object.getOwnPropertyNames(window)) {
          if (name in globalThis && !TAKEN.includes(name)) continue;
          const property = { configurable: true, writable: true, value: window[name] };
          Object.defineProperty(globalThis, name, property);
        }
        Object.assign(globalThis, { window });
        const requests = [];
        globalThis.fetch = async (request) => {
          requests.push(String(request.url ?? request));
          return Response.json({ errcode: "M_UNRECOGNIZED" }, { status: 404 });
        };
        await import("matrix-auth-elements/define");
        const elements = ${JSON.stringify(TAGS)}.map((tag) => document.createElement(tag));
        document.body.append(...elements);
        const [login, , , dialog] = elements;
        login.homeserver = "example.org";
        await login.prepare();
        const password = { session: "s", flows: [{ stages: ["m.login.password"] }], params: {} };
        const refusal = Object.assign(new Error(), { httpStatus: 401, data: password });
        dialog.userId = "@alice:example.org";
        const outcome = dialog.authenticate((auth) => auth ? "done" : Promise.reject(refusal));
        while (!dialog.querySelector("input[type=password]")) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        dialog.querySelector("input[type=password]").value = "secret";
        dialog.querySelector("form").dispatchEvent(new Event("submit", { cancelable: true }));
        console.log(JSON.stringify({
          rendered: elements.map(({ shadowRoot }) => shadowRoot !== null),
          login: login.state,
          asked: requests[0],
          outcome: await outcome,
        }));
        process.exit();`);
      assert.deepEqual(JSON.parse(output), {
        rendered: TAGS.map(() => true),
        login: "unsupported",
        asked: "https://example.org/.well-known/matrix/client",
        outcome: "done",
      });
    });
  }
});
