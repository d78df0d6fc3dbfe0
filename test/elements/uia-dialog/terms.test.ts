import { expect } from "@open-wc/testing";
import { protectedRequest, refusal } from "../support/protected-request.js";
import { Terms, POLICIES, element, endDialog, outcome, refusing, ui } from "./fixture.js";

describe("<uia-dialog> at m.login.terms", () => {
  afterEach(endDialog);

  const links = (): readonly string[] =>
    [...element.querySelectorAll("form a")].map((link) => (link as HTMLAnchorElement).href);

  it("has a checkbox and a link for each policy, and submits when all are checked", async () => {
    const request = await ui.open([Terms], POLICIES);
    expect(links()).to.deep.equal(["https://hs.example/privacy", "https://hs.example/terms"]);
    const boxes = [...element.querySelectorAll<HTMLInputElement>("[type=checkbox]")];
    expect(boxes.map(({ checked }) => checked)).to.deep.equal([false, false]);
    boxes[0]?.click();
    await ui.submit();
    expect(request.sent).to.have.length(1);
    boxes[1]?.click();
    await ui.submit();
    expect(await outcome).to.deep.equal({ done: true });
    expect(request.sent[1]).to.deep.equal({ session: "the-session", type: Terms });
  });

  for (const [lang, privacy] of Object.entries({
    "de-AT": "datenschutz",
    "en_US.UTF-8": "privacy",
    "no_such language!": "privacy",
  })) {
    it(`links to the policy in the page's language, or in English, when lang is ${lang}`, async () => {
      document.documentElement.lang = lang;
      await ui.open([Terms], POLICIES);
      expect(links()).to.deep.equal([`https://hs.example/${privacy}`, "https://hs.example/terms"]);
    });
  }

  it("shows a policy whose language tag has 1 MiB of the worst kind", async () => {
    await ui.make();
    const subtags = Array.from({ length: 2 ** 17 }, (_, i) => i.toString(36).padStart(7, "a"));
    const policy = { [`en-u-${subtags.join("-")}`]: { name: "P", url: "https://hs.example/p" } };
    await ui.begin(protectedRequest([Terms], { [Terms]: { policies: { policy } } }));
    expect(links()).to.deep.equal(["https://hs.example/p"]);
  });

  it("links to the policy in the language that lang is a variant of", async () => {
    document.documentElement.lang = "zh-Hant-HK";
    await ui.make();
    const name = "P";
    const policy = {
      version: "1",
      en: { name, url: "https://hs.example/en" },
      zh: { name, url: "https://hs.example/zh" },
      zh_Hant: { name, url: "https://hs.example/hant" },
    };
    await ui.begin(protectedRequest([Terms], { [Terms]: { policies: { policy } } }));
    expect(links()).to.deep.equal(["https://hs.example/hant"]);
  });

  for (const [what, params] of Object.entries({
    "a script for an address": {
      policies: { p: { en: { name: "P", url: "javascript:alert(1)" } } },
    },
    "an address of 1 MiB, with the worst host": {
      policies: { p: { en: { name: "P", url: `https://a${"\u0300\u0316".repeat(2 ** 19)}` } } },
    },
    "no policies": { policies: {} },
    "no list of them": { policies: [null, 5, "x"] },
    nothing: undefined,
    "thousands of them": {
      policies: Object.fromEntries(
        Array.from({ length: 2000 }, (_, i) => [
          i,
          { en: { name: "P", url: "https://x.example" } },
        ]),
      ),
    },
  })) {
    it(`offers no submission for ${what}`, async () => {
      await ui.open([Terms], { [Terms]: params });
      expect(element.querySelector("form")).to.equal(null);
      expect(ui.part("submit")).to.equal(null);
      expect(ui.text()).to.contain("can’t be loaded");
    });
  }

  it("shows a policy's name as text, not as HTML", async () => {
    await ui.make();
    const name = "<img src=x onerror=alert(1)> \u202Eevil";
    await ui.begin(
      protectedRequest([Terms], {
        [Terms]: { policies: { __proto__: null, p: { en: { name, url: "https://x.example" } } } },
      }),
    );
    expect(element.querySelector("form img")).to.equal(null);
    expect(element.querySelector("form bdi")?.textContent).to.equal(name);
  });

  it("shows the URL, shortened, of a policy without a name", async () => {
    for (const name of [undefined, "", " \u200B\t"]) {
      await ui.make();
      const url = `https://x.example/${"a".repeat(1e3)}`;
      await ui.begin(
        protectedRequest([Terms], { [Terms]: { policies: { p: { en: { name, url } } } } }),
      );
      const shown = element.querySelector("form bdi")?.textContent ?? "";
      expect(shown).to.match(/^https:/);
      expect(shown.length).to.be.at.most(200);
      element.cancel();
      await outcome;
    }
  });

  it("unchecks a policy that has changed", async () => {
    await ui.make();
    let policy = "first";
    ui.follow(
      element
        .authenticate(() =>
          refusing(
            refusal(401, {
              session: "s",
              flows: [{ stages: [Terms] }],
              params: {
                [Terms]: {
                  policies: { p: { en: { name: policy, url: `https://x.example/${policy}` } } },
                },
              },
              errcode: "M_OTHER",
            }),
          ),
        )
        .catch(() => undefined),
    );
    await ui.asked();
    element.querySelector<HTMLInputElement>("[type=checkbox]")?.click();
    policy = "second";
    await ui.submit();
    expect(element.querySelector("form bdi")?.textContent).to.equal("second");
    expect(element.querySelector<HTMLInputElement>("[type=checkbox]")?.checked).to.be.false;
  });
});
