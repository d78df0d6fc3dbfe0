// The playground's appearance, keyboard use, and links.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { describe, it } from "node:test";
import { waitForTrue } from "../../e2e/driver/driver.js";
import { ELEMENTS, usePlayground, type ElementName } from "./page.js";

interface Member {
  readonly name: string;
}

interface Declaration {
  readonly tagName?: string;
  readonly attributes?: readonly Member[];
  readonly events?: readonly Member[];
  readonly slots?: readonly Member[];
  readonly cssParts?: readonly Member[];
  readonly cssProperties?: readonly Member[];
}

/** An element's members in custom-elements.json, by the names of their controls. */
async function membersOf(element: ElementName): Promise<readonly string[]> {
  const { modules } = JSON.parse(await readFile("custom-elements.json", "utf8")) as {
    modules: readonly { declarations?: readonly Declaration[] }[];
  };
  const manifest = modules
    .flatMap(({ declarations = [] }) => declarations)
    .find(({ tagName }) => tagName === element);
  return Object.entries({
    attribute: manifest?.attributes,
    event: manifest?.events,
    slot: manifest?.slots,
    part: manifest?.cssParts,
    token: manifest?.cssProperties,
  }).flatMap(([kind, members = []]) => members.map(({ name }) => `${kind}:${name}`));
}

describe("The playground's page", () => {
  const playground = usePlayground();

  /** Sets every control, and returns those that are missing in the code. */
  async function setEveryControl(
    element: ElementName,
  ): Promise<{ readonly missing: readonly string[]; readonly code: string }> {
    const { page } = playground;
    const controls = await page.locator("#controls details [name*=':']").evaluateAll((fields) =>
      (fields as (HTMLInputElement | HTMLSelectElement)[]).map((field) => {
        const [, kind = "", member = ""] = /(.*?):(.*)/.exec(field.name) ?? [];
        if (field instanceof HTMLSelectElement) field.selectedIndex = 1;
        else if (field.type === "checkbox") field.checked = true;
        else if (field.type === "number") field.value = "7";
        else field.value = { token: "red", part: "color: red" }[kind] ?? `my-${kind}`;
        return { kind, member, type: field.type };
      }),
    );
    const wanted = controls.flatMap(({ kind, member, type }) => {
      const slot = member.replace(/\(.*\)/, "my-slot-name");
      const line = {
        attribute: type === "checkbox" ? `\n    ${member}\n` : ` ${member}="`,
        slot: slot ? `<span slot="${slot}">my-slot</span>` : "\n    my-slot\n",
        token: `\n      ${member}: red;\n`,
        part: `\n    ${element}::part(${member}) {\n      color: red;\n    }\n`,
        event: `.addEventListener("${member}", (`,
      }[kind];
      return line ?? [];
    });
    // If one control changes, the page reads all of them.
    await playground.control("Text").dispatchEvent("change");
    const code = (await page.locator("#code code").textContent()) ?? "";
    return { missing: wanted.filter((line) => !code.includes(line)), code };
  }

  it("Language, direction, theme, and width change the current page", async () => {
    await playground.open("matrix-login");
    const field = playground.preview.getByRole("textbox").first();
    await field.waitFor();
    const password = playground.preview.locator("[name=password]");
    await password.fill("typed");
    await playground.choose("Language", /\(de\)/);
    await playground.preview.getByRole("heading", { name: "Anmelden" }).waitFor();
    await playground.choose("Language", /\(ar\)/);
    await playground.preview.locator("html[lang=ar][dir=rtl]").waitFor();
    await playground.choose("Direction", "Left to right");
    await playground.preview.locator("html[dir=ltr]").waitFor();
    await playground.choose("Theme", "Dark");
    await playground.choose("Width", "320 pixels");
    assert.equal(await password.inputValue(), "typed");
    const { width = 0 } = (await playground.page.locator("#preview").boundingBox()) ?? {};
    assert.equal(Math.round(width), 320);
    const scheme = playground.preview.locator("html");
    assert.equal(await scheme.evaluate((root) => getComputedStyle(root).colorScheme), "dark");
    const tags = await playground
      .control("Language")
      .locator("option")
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    const files = (await readdir("dist/cdn/locales")).map((name) => name.split(".")[0]);
    assert.deepEqual(tags.sort(), [...new Set(files), "en", "fy"].sort());
    // The URL contains the choice.
    await playground.page.reload();
    await playground.preview.locator("html[lang=ar][dir=ltr]").waitFor();
    await playground.page.getByRole("button", { name: "Reset" }).click();
    await playground.preview.locator("html[lang=en][dir=ltr]").waitFor();
    assert.equal(new URL(playground.page.url()).hash, "");
    assert.deepEqual([...playground.complaints], []);
  });

  it("A user signs in, causes errors, and copies the code with only the keyboard", async () => {
    await playground.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await playground.open("matrix-login");
    await playground.first("matrix-login").waitFor();
    /** Presses a key until the focus, also in the preview, is on the control with this name or text. */
    const moveTo = async (name: string, key = "Tab"): Promise<void> => {
      const passed: string[] = [];
      for (let presses = 0; presses < 60; presses += 1) {
        await playground.page.keyboard.press(key);
        const focused = await playground.page.evaluate<string>(`(() => {
          let at = document.activeElement;
          for (;;) {
            const inner = (at.contentDocument ?? at.shadowRoot)?.activeElement;
            if (!inner || inner.localName === "body") break;
            at = inner;
          }
          return at.getAttribute("name") ?? at.textContent.trim();
        })()`);
        if (focused === name) return;
        passed.push(focused);
      }
      assert.fail(`${name} is not reached, only ${passed.join(", ")}`);
    };
    await moveTo("element");
    await playground.page.keyboard.press("ArrowRight");
    await playground.page.keyboard.press("ArrowRight");
    await playground.first("oidc-login").waitFor();
    await moveTo("Sign in");
    await playground.page.keyboard.press("Enter");
    await playground.preview.getByRole("heading", { name: "Sign in to Example ID" }).waitFor();
    await moveTo("Continue as bob");
    await playground.page.keyboard.press("Enter");
    await playground.preview.getByText("You’re signed in.").waitFor();
    const log = await playground.page.locator("#log").innerText();
    assert.match(log, /oidc-success/);
    assert.doesNotMatch(log, /access-token-|refresh-token-|code-\d|eyJ/);
    await moveTo("error");
    await playground.preview.locator("html").evaluate((old) => old.setAttribute("data-old", ""));
    await playground.page.keyboard.type("No n");
    await playground.preview.locator("html:not([data-old]) oidc-login").waitFor();
    await moveTo("Sign in", "Shift+Tab");
    await playground.page.keyboard.press("Enter");
    await playground.preview.getByText(/^Can’t reach/).waitFor();
    await moveTo("Copy");
    await playground.page.keyboard.press("Enter");
    await playground.page.getByText("Copied.").waitFor();
    assert.match(
      await playground.page.evaluate<string>("navigator.clipboard.readText()"),
      /<oidc-login /,
    );
    assert.deepEqual([...playground.complaints], []);
  });

  for (const element of ELEMENTS) {
    it(`<${element}> is shown, with a control for each member of its manifest`, async () => {
      await playground.open(element);
      await playground.first(element).waitFor();
      const present = await playground.page
        .locator("#controls [name]")
        .evaluateAll((controls) => controls.map((control) => control.getAttribute("name")));
      const wanted = await membersOf(element);
      assert.ok(wanted.length > 20);
      assert.deepEqual(
        wanted.filter((name) => !present.includes(name)),
        [],
      );
      await playground.openDetails();
      assert.deepEqual(await playground.whatAxeFinds(), []);
      await playground.page.setViewportSize({ width: 320, height: 640 });
      assert.equal(await playground.page.evaluate("document.documentElement.scrollWidth"), 320);
      assert.deepEqual([...playground.complaints], []);
      const { missing, code } = await setEveryControl(element);
      assert.deepEqual(missing, [], code);
    });
  }

  it("The site links to the playground, and the playground links back", async () => {
    const { page } = playground;
    await playground.open("oidc-login");
    await page.getByRole("link", { name: "matrix-auth-elements", exact: true }).click();
    await page.getByRole("link", { name: "Playground", exact: true }).first().click();
    await playground.first("matrix-login").waitFor();
  });

  it("The switch makes the playground and the element dark, as on the site's other pages", async () => {
    const { page, preview } = playground;
    await playground.open("oidc-login");
    const scheme = () =>
      preview.locator(":root").evaluate((root) => getComputedStyle(root).colorScheme);
    await playground.first("oidc-login").waitFor();
    assert.equal(await scheme(), "light dark");
    await page.getByRole("switch", { name: "Dark" }).click();
    await page.locator("html[data-theme=dark]").waitFor();
    await waitForTrue("a dark preview", async () => (await scheme()) === "dark");
    await page.getByRole("link", { name: "matrix-auth-elements", exact: true }).click();
    await page.locator("html.dark").waitFor();
  });

  it("Links skip the controls, and keep the choices", async () => {
    await playground.open("uia-dialog", "&theme=dark");
    await playground.first("uia-dialog").waitFor();
    const url = playground.page.url();
    await playground.page.keyboard.press("Tab");
    await playground.page.keyboard.press("Tab");
    await playground.page.keyboard.press("Enter");
    assert.equal(await playground.page.evaluate("document.activeElement.id"), "copy");
    assert.equal(playground.page.url(), url);
  });

  it("A link cannot redirect a user to another site", async () => {
    await playground.open("oidc-login", "&attribute:redirect-uri=https%3A%2F%2Fevil.example%2F");
    await playground.preview.getByRole("button", { name: "Sign in" }).click();
    await playground.preview.getByRole("button", { name: "Continue as bob" }).click();
    await playground.preview.getByText("https://evil.example/").waitFor();
    await playground.open("uia-fallback-frame", "&attribute:url=https%3A%2F%2Fevil.example%2F");
    await playground.preview.getByRole("button", { name: "Open page" }).click();
    await playground.logged("uia-fallback-open");
    assert.equal(playground.context.pages().length, 1);
    assert.deepEqual([...playground.complaints], []);
  });

  it("Every page of the playground has a strict policy", async () => {
    const folder = "dist/site/playground";
    const pages = (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith(".html"),
    );
    assert.ok(pages.length > 10);
    for (const name of pages) {
      const html = await readFile(`${folder}/${name}`, "utf8");
      const [, policy = ""] =
        /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(html) ?? [];
      const directives = policy.split("; ");
      for (const wanted of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "require-trusted-types-for 'script'",
        `trusted-types ${name === "preview.html" ? "lit-html" : "'none'"}`,
      ]) {
        assert.ok(directives.includes(wanted), `${name}: ${wanted}`);
      }
    }
  });

  for (const [scheme, rules] of [
    ["light", undefined],
    // Only the colors differ from the light scheme.
    ["dark", ["color-contrast"]],
  ] as const) {
    it(`axe finds no fault on the provider's page or in the dialog in the ${scheme} scheme`, async () => {
      await playground.newProfile({ colorScheme: scheme });
      const { preview } = playground;
      await playground.open("oidc-login");
      await preview.getByRole("button", { name: "Sign in" }).click();
      await preview.getByRole("heading", { name: "Sign in to Example ID" }).waitFor();
      await playground.openDetails();
      assert.deepEqual(await playground.whatAxeFinds(rules), [], "the provider");
      await playground.open("uia-dialog", "&stage=unknown&language=ar");
      await preview.locator("#ask").click();
      await preview.getByRole("dialog").waitFor();
      assert.deepEqual(await playground.whatAxeFinds(rules), [], "the dialog");
      assert.deepEqual([...playground.complaints], []);
    });
  }
});
