import { expect } from "@open-wc/testing";
import { refusal } from "../support/protected-request.js";
import { POLICIES, Terms, element, endDialog, refusing, ui } from "./fixture.js";

describe("<uia-dialog> at m.login.terms", () => {
  afterEach(endDialog);

  const open = (policies: unknown) =>
    ui.open([Terms], { params: policies === undefined ? {} : { [Terms]: { policies } } });
  /** A policy with one name and URL. */
  const policy = (name: unknown, url = "https://x.example") => ({ p: { en: { name, url } } });
  const links = (): readonly string[] =>
    [...element.querySelectorAll<HTMLAnchorElement>("form a")].map(({ href }) => href);
  const boxes = (): HTMLInputElement[] => [
    ...element.querySelectorAll<HTMLInputElement>("[type=checkbox]"),
  ];
  const shownName = (): string => element.querySelector("form bdi")?.textContent ?? "";

  it("has a checkbox and a link for each policy, and submits when all checkboxes are checked", async () => {
    const request = await ui.open([Terms], { params: POLICIES });
    expect(links()).to.deep.equal(["https://hs.example/privacy", "https://hs.example/terms"]);
    const [first, second] = boxes();
    expect([first?.checked, second?.checked]).to.deep.equal([false, false]);
    first?.click();
    await ui.submit();
    expect(request.sent).to.have.length(1);
    second?.click();
    await ui.submit();
    await ui.expectDone();
    expect(request.sent[1]).to.deep.equal({ session: "the-session", type: Terms });
  });

  for (const [lang, tag] of Object.entries({
    "de-AT": "de",
    "zh-Hant-HK": "zh_Hant",
    "en_US.UTF-8": "en",
    "no_such language!": "en",
  })) {
    it(`links to the policy in ${tag} when the page's lang is ${lang}`, async () => {
      document.documentElement.lang = lang;
      const languages = ["en", "de", "zh", "zh_Hant"].map((each) => [
        each,
        { name: "P", url: `https://hs.example/${each}` },
      ]);
      await open({ p: { version: "1", ...Object.fromEntries(languages) } });
      expect(links()).to.deep.equal([`https://hs.example/${tag}`]);
    });
  }

  it("shows a policy with a language tag of 1 MiB that is slow to parse", async () => {
    const subtags = Array.from({ length: 2 ** 17 }, (_, i) => i.toString(36).padStart(7, "a"));
    const url = "https://hs.example/p";
    await open({ p: { [`en-u-${subtags.join("-")}`]: { name: "P", url } } });
    expect(links()).to.deep.equal([url]);
  });

  for (const [what, policies] of Object.entries({
    "a script for a URL": policy("P", "javascript:alert(1)"),
    "a URL of 1 MiB, with the worst host": policy(
      "P",
      `https://a${"\u0300\u0316".repeat(2 ** 19)}`,
    ),
    "no policies": {},
    "no object of them": [null, 5, "x"],
    "no parameters": undefined,
    "thousands of them": Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [i, policy("P").p]),
    ),
  })) {
    it(`offers no submission for ${what}`, async () => {
      await open(policies);
      expect(element.querySelector("form")).to.equal(null);
      expect(ui.part("submit")).to.equal(null);
      expect(ui.text()).to.contain("isn’t configured correctly");
    });
  }

  for (const unset of [null, ""]) {
    it(`ignores a policy or a language that is ${JSON.stringify(unset)}`, async () => {
      const en = { name: "P", url: "https://x.example/p" };
      await open({ unset, p: { version: unset, en, de: unset } });
      expect(links()).to.deep.equal(["https://x.example/p"]);
    });
  }

  it("shows a policy's name as text, not as HTML, and without marks that turn it around", async () => {
    const name = "<img src=x onerror=alert(1)> evil";
    await open({ __proto__: null, ...policy(name.replace("evil", "\u2069\u202Eevil")) });
    expect(element.querySelector("form img")).to.equal(null);
    expect(shownName()).to.equal(name);
  });

  for (const name of [undefined, "", " \u200B\t", "\u3164", "\u115F\uFFA0\u2800"]) {
    it(`shows the URL, shortened, of a policy with the name ${JSON.stringify(name)}`, async () => {
      await open(policy(name, `https://x.example/${"a".repeat(1e3)}`));
      expect(shownName()).to.match(/^https:/);
      expect(shownName().length).to.be.at.most(200);
    });
  }

  it("unchecks a policy that has changed", async () => {
    await ui.make();
    let name = "first";
    const challenge = () => ({
      session: "s",
      flows: [{ stages: [Terms] }],
      params: { [Terms]: { policies: policy(name, `https://x.example/${name}`) } },
      errcode: "M_OTHER",
    });
    ui.follow(element.authenticate(() => refusing(refusal(401, challenge()))).catch(String));
    await ui.asked();
    boxes()[0]?.click();
    name = "second";
    await ui.submit();
    expect(shownName()).to.equal("second");
    expect(boxes()[0]?.checked).to.be.false;
  });
});
