// Every part, custom property, state and slot in custom-elements.json exists and has its effect, and there
// are no others.
import { expect, fixture, fixtureCleanup, html } from "@open-wc/testing";
import { executeServerCommand } from "@web/test-runner-commands";
import { whatAxeFinds } from "./check.js";
import { enter, leaveModes, MODES, visibleElements } from "./modes.js";
import { DIALOG_STATES, LOGIN_STATES, STATES, begin, end, type State } from "../matrix/states.js";

interface Named {
  readonly name: string;
}

interface Documented {
  readonly tagName?: string;
  readonly cssParts: readonly Named[];
  readonly cssProperties: readonly Named[];
  readonly cssStates: readonly Named[];
  readonly slots: readonly Named[];
}

interface Manifest {
  readonly modules: readonly { readonly declarations?: readonly Documented[] }[];
}

const manifest = (await (await fetch("/custom-elements.json")).json()) as Manifest;
const documented = manifest.modules
  .flatMap(({ declarations = [] }) => declarations)
  .filter(({ tagName }) => tagName);

const IDLE_DIALOG: State = {
  name: "idle",
  show: () => fixture(html`<uia-dialog></uia-dialog>`),
};

/** Values that no element has by default, and the styles of an element that each can change. */
const PROBES: readonly (readonly [RegExp, string, readonly (keyof CSSStyleDeclaration)[]])[] = [
  [
    /on-(accent|error|danger)-color|uia-color|(panel|field|error|link|success)-color$/,
    "rgb(1, 2, 3)",
    ["color"],
  ],
  [/danger-color$/, "rgb(1, 2, 3)", ["backgroundColor", "color"]],
  [/accent-color|background$/, "rgb(1, 2, 3)", ["backgroundColor", "color", "accentColor"]],
  [/shadow/, "0 0 9px rgb(1, 2, 3)", ["boxShadow"]],
  [/radius/, "7px", ["borderTopLeftRadius"]],
  [/padding/, "9px", ["paddingTop"]],
  [/gap/, "31px", ["rowGap"]],
  [/inline-size/, "333px", ["inlineSize"]],
  [/block-size/, "333px", ["blockSize"]],
  [/offset$/, "9px", ["top"]],
  [/(border|separator)$/, "5px dotted rgb(1, 2, 3)", ["borderTopWidth"]],
  [/weight/, "300", ["fontWeight"]],
  [/font-family/, "fantasy", ["fontFamily"]],
  [/font-size/, "31px", ["fontSize"]],
  [/ring/, "5px dotted rgb(1, 2, 3)", ["outlineStyle"]],
];

/** Whether a custom property changes the style of a visible element. */
function hasEffect(element: HTMLElement, property: string): boolean {
  const [, value, aspects] = PROBES.find(([name]) => name.test(property)) ?? [];
  if (value === undefined || !aspects) throw new Error(`${property} is not tried`);
  const look = (): string =>
    visibleElements()
      .flatMap((each) => [getComputedStyle(each), getComputedStyle(each, "::before")])
      .map((style) => aspects.map((aspect) => style[aspect]).join())
      .join("\n");
  const before = look();
  element.style.setProperty(property, value);
  const after = look();
  element.style.removeProperty(property);
  return before !== after;
}

/** Adds the page's style sheet. */
function adopt(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
  return sheet;
}

/** Whether a page's rule for a part of an element matches an element. */
function isReached(tag: string, part: string): boolean {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${tag}::part(${part}) { scroll-margin-top: 1234px }`);
  document.adoptedStyleSheets.push(sheet);
  const reached = visibleElements()
    .flatMap((each) => [each, ...each.querySelectorAll("svg")])
    .some(
      (each) =>
        each.getRootNode() instanceof ShadowRoot &&
        each.hasAttribute("part") &&
        getComputedStyle(each).scrollMarginTop === "1234px",
    );
  document.adoptedStyleSheets.pop();
  return reached;
}

/** These parts are visible only if code can't be loaded: see load-failure.test.ts. */
const SEEN_WITHOUT_CODE: Readonly<Record<string, readonly string[]>> = {
  "uia-fallback-frame": ["error", "retry"],
};

/** The slots into which the element itself puts its forms. */
const FORM_SLOTS: Readonly<Record<string, readonly string[]>> = {
  "matrix-account": ["fields-password", "fields-deactivation"],
  "matrix-login": ["fields"],
  "uia-dialog": ["fields"],
};

const shadowsOf = (element: Element): readonly ShadowRoot[] =>
  [element, ...(element.shadowRoot?.querySelectorAll("*") ?? [])].flatMap(
    ({ shadowRoot }) => shadowRoot ?? [],
  );

for (const { tagName: tag = "", cssParts, cssProperties, cssStates, slots } of documented) {
  const states = STATES[tag]?.concat(tag === "uia-dialog" ? IDLE_DIALOG : []);
  if (!states) continue;

  describe(`As documented, <${tag}>`, () => {
    const reachedParts = new Set<string>();
    const reachedStates = new Set<string>();
    const effective = new Set<string>();
    const parts = new Set<string>();
    const slotNames = new Set<string>();
    /** The parts that inner elements export, by their exported name. */
    const exported = new Map<string, { readonly inner: string; readonly part: string }>();

    // Each state is shown once, and searched for everything.
    before(async () => {
      for (const { show } of states) {
        await begin();
        await show();
        const element = document.querySelector<HTMLElement>(tag);
        if (!element) throw new Error(`no ${tag}`);
        await new Promise(requestAnimationFrame);
        // A focus ring is visible only after keyboard input.
        await executeServerCommand("send-keys", { press: "Tab" });
        for (const { name } of cssStates) {
          if (element.matches(`:state(${name})`)) reachedStates.add(name);
        }
        for (const { name } of cssParts) {
          if (!reachedParts.has(name) && isReached(tag, name)) reachedParts.add(name);
        }
        for (const { name } of cssProperties) {
          if (!effective.has(name) && hasEffect(element, name)) effective.add(name);
        }
        for (const root of shadowsOf(element)) {
          if (root.host !== element) continue;
          for (const { part } of root.querySelectorAll("[part]")) part.forEach((p) => parts.add(p));
          for (const { name } of root.querySelectorAll("slot")) slotNames.add(name);
          for (const each of root.querySelectorAll("[exportparts]")) {
            for (const pair of each.getAttribute("exportparts")?.split(/,\s*/) ?? []) {
              const [part = "", name = part] = pair.split(":");
              exported.set(name, { inner: each.localName, part });
            }
          }
        }
        await end();
        fixtureCleanup();
      }
    });
    after(leaveModes);

    const names = (list: readonly Named[]): readonly string[] => list.map(({ name }) => name);

    it("has every documented part, which a page can style", () => {
      const missed = names(cssParts).filter(
        (name) => !reachedParts.has(name) && !exported.has(name),
      );
      expect(missed).to.deep.equal(SEEN_WITHOUT_CODE[tag] ?? []);
    });

    // The frame's box, and its error if its code can't be loaded, are not exported.
    const kept = tag === "uia-dialog" ? ["frame", "error", "retry"] : [];
    it("exports every documented part of the elements inside it", () => {
      const inner = new Set([...exported.values()].map((each) => each.inner));
      const expected = documented
        .filter(({ tagName = "" }) => inner.has(tagName))
        .flatMap(({ tagName, cssParts }) =>
          names(cssParts)
            .filter((part) => !kept.includes(part))
            .map((part) => `${tagName} ${part}`),
        );
      const actual = [...exported.values()].map((each) => `${each.inner} ${each.part}`);
      expect(actual).to.have.members(expected);
    });

    it("has no undocumented part, except those named after a stage's type", () => {
      const known = names(cssParts);
      const unknown = [...parts].filter((name) => !known.includes(name) && !/^(m|org)-/.test(name));
      expect(unknown).to.deep.equal([]);
    });

    it("has every documented state", () => {
      expect(names(cssStates).filter((name) => !reachedStates.has(name))).to.deep.equal([]);
    });

    it("changes with every documented custom property", () => {
      expect(names(cssProperties).filter((name) => !effective.has(name))).to.deep.equal([]);
    });

    it("has every documented slot, and no other", () => {
      const patterns = names(slots).map((name) =>
        name.startsWith("(") ? /^(m|org)\./ : new RegExp(`^${name.replace(/\(.*\)/, ".+")}$`),
      );
      expect(
        patterns.filter((each) => ![...slotNames].some((name) => each.test(name))),
      ).to.deep.equal([]);
      const unknown = [...slotNames].filter((name) => !patterns.some((each) => each.test(name)));
      expect(unknown).to.deep.equal(FORM_SLOTS[tag] ?? []);
    });
  });
}

describe("A field of <uia-dialog>", () => {
  beforeEach(begin);
  afterEach(async () => {
    document.adoptedStyleSheets = [];
    await end();
  });

  /** A field's styles with the page's rules. */
  const look = async (css: string, wrong = false): Promise<CSSStyleDeclaration> => {
    adopt(css);
    const state = wrong ? "password, wrong" : "password";
    await DIALOG_STATES.find(({ name }) => name === state)?.show();
    const field = document.querySelector("uia-dialog [name=password]");
    if (!field) throw new Error("no field");
    return getComputedStyle(field);
  };

  it("keeps its style although the page styles every input", async () => {
    const rules = `input, form input[type="password"] { padding: 31px; border: 9px dotted red }`;
    const { paddingTop, borderTopWidth } = await look(rules);
    expect([paddingTop, borderTopWidth]).to.deep.equal(["8px", "1px"]);
  });

  it("can be styled by a page's rules with two classes", async () => {
    const rules = `uia-dialog .uia-fields.uia-fields input {
      padding: 31px; border: 9px dotted red; border-radius: 5px; background: rgb(1 2 3); min-block-size: 99px
    }`;
    const { paddingTop, borderTopWidth, borderTopLeftRadius, backgroundColor, minBlockSize } =
      await look(rules);
    expect([
      paddingTop,
      borderTopWidth,
      borderTopLeftRadius,
      backgroundColor,
      minBlockSize,
    ]).to.deep.equal(["31px", "9px", "5px", "rgb(1, 2, 3)", "99px"]);
  });

  it("is marked by more than a color when it is invalid", async () => {
    expect((await look("")).borderTopWidth).to.equal("1px");
    fixtureCleanup();
    expect((await look("", true)).borderTopWidth).to.equal("2px");
  });
});

describe("The font", () => {
  beforeEach(begin);
  afterEach(async () => {
    document.body.style.removeProperty("font-family");
    await end();
  });

  for (const [tag, state, part] of [
    ["matrix-login", "ready, password", "form"],
    ["matrix-account", "everything that a homeserver offers", "panel"],
    ["oidc-callback", "pending", "panel"],
    ["oidc-callback", "error: no network, to be tried again", "panel"],
    ["uia-dialog", "password", "dialog"],
    ["uia-fallback-frame", "opened", "open"],
  ] as const) {
    it(`of <${tag}> is the system's if the page has none, and the page's if it has one: ${state}`, async () => {
      const font = async (): Promise<string | undefined> => {
        fixtureCleanup();
        await STATES[tag]?.find(({ name }) => name === state)?.show();
        const shown = document.querySelector(tag)?.shadowRoot?.querySelector(`[part~=${part}]`);
        return shown ? getComputedStyle(shown).fontFamily : undefined;
      };
      expect(await font()).to.equal("system-ui, sans-serif");
      await end();
      await begin();
      document.body.style.fontFamily = "Georgia";
      expect(await font()).to.equal("Georgia");
    });
  }
});

describe("Buttons in a row", () => {
  afterEach(end);

  it("share a baseline, even with an error below one", async () => {
    await begin();
    await LOGIN_STATES.find(({ name }) => name.startsWith("error"))?.show();
    const wrong = document.querySelector("oidc-login");
    const other = document.createElement("oidc-login");
    wrong?.after(" or ", other);
    await other.updateComplete;
    const [top, otherTop] = [wrong, other].map(
      (element) => element?.shadowRoot?.querySelector("button")?.getBoundingClientRect().top,
    );
    expect(top).to.equal(otherTop);
  });
});

describe("A page whose buttons are pills", () => {
  beforeEach(begin);
  afterEach(end);

  for (const [tag, name] of [
    ["matrix-account", "error: no devices, to be tried again"],
    ["matrix-login", "error: a wrong password"],
    ["oidc-login", "error: no network"],
    ["oidc-callback", "error: a server's"],
    ["uia-dialog", "a server out of order: try again"],
    ["uia-fallback-frame", "in a frame"],
  ] as const) {
    it(`rounds only the buttons and fields in <${tag}>`, async () => {
      await STATES[tag]?.find((state) => state.name === name)?.show();
      const element = document.querySelector<HTMLElement>(tag);
      element?.style.setProperty("--oidc-border-radius", "99em");
      const boxes = visibleElements().filter((each) =>
        each.matches(
          "dialog, iframe[part], [part~=form], [part~=panel], [part~=section], [part~=error]",
        ),
      );
      expect(boxes).not.to.be.empty;
      for (const box of boxes) {
        expect(parseFloat(getComputedStyle(box).borderTopLeftRadius)).to.be.at.most(24);
      }
    });
  }
});

describe("With any accent color, every text can be read:", () => {
  beforeEach(begin);
  afterEach(async () => {
    document.documentElement.removeAttribute("style");
    await leaveModes();
    await end();
  });

  /** Readable on themselves, but not all of them on white or black. */
  const ACCENTS = {
    "": "",
    yellow: "color(srgb 1 0.85 0)",
    cyan: "#00e5ff",
    green: "#7ed957",
    navy: "#05063d",
    maroon: "#3b0008",
  };
  for (const [tag, name] of [
    ["matrix-login", "ready, password"],
    ["matrix-login", "error: a wrong password"],
    ["matrix-account", "everything that a homeserver offers"],
    ["uia-dialog", "password, wrong"],
    ["uia-dialog", "email, sent"],
  ] as const) {
    it(`<${tag}> ${name}`, async () => {
      await STATES[tag]?.find((state) => state.name === name)?.show();
      for (const mode of MODES.slice(0, 2)) {
        await enter(mode);
        for (const [color, accent] of Object.entries(ACCENTS)) {
          const { style } = document.documentElement;
          style.setProperty("--oidc-accent-color", accent);
          const isDark = ["navy", "maroon"].includes(color);
          style.setProperty("--oidc-on-accent-color", accent && (isDark ? "#fff" : "#000"));
          style.setProperty("--auth-danger-color", accent);
          style.setProperty("--auth-on-danger-color", accent && (isDark ? "#fff" : "#000"));
          expect(await whatAxeFinds({ name: "", axeRules: ["color-contrast"] })).to.deep.equal(
            [],
            `${mode.name}, ${color}`,
          );
        }
      }
    });
  }
});

const guide = await (await fetch("/docs/guides/themes.md")).text();
const themes = [...guide.matchAll(/^## (.+)$[^#]+?^```css\n([^]+?)^```$/gm)];

describe("docs/guides/themes.md", () => {
  beforeEach(begin);
  afterEach(async () => {
    document.adoptedStyleSheets = [];
    await leaveModes();
    await end();
  });

  it("has three themes", () => expect(themes.map(([, name]) => name)).to.have.length(3));

  for (const [, name = "", css = ""] of themes) {
    it(`uses documented properties and parts for ${name}, and only rules that browsers support`, () => {
      const sheet = adopt(css);
      const { documentElement: root } = document;
      const properties = [...css.matchAll(/(--[\w-]+): ([^;]+);/g)];
      const known = documented.flatMap(({ cssProperties }) =>
        cssProperties.map((each) => each.name),
      );
      expect(known).to.include.members(properties.map(([, property]) => property));
      const read = getComputedStyle(root);
      for (const [, property = "", value = ""] of properties) {
        expect(read.getPropertyValue(property)).to.equal(value.replace(/\s+/g, " "));
      }
      expect(sheet.cssRules).to.have.length(css.match(/^\}$/gm)?.length ?? 0);
      for (const rule of sheet.cssRules) {
        for (const [, part] of rule.cssText.matchAll(/::part\(([\w-]+)\)/g)) {
          const tags = documented.filter(({ tagName = "" }) => rule.cssText.includes(tagName));
          const parts = tags.flatMap(({ cssParts }) => cssParts.map((each) => each.name));
          expect(parts).to.include(part);
        }
      }
    });

    const schemes = /color-scheme: (.+);/.exec(css)?.[1]?.split(" ") ?? [];
    for (const scheme of schemes) {
      for (const [tag, state] of [
        ["matrix-login", "ready, two providers and a password"],
        ["matrix-login", "error: a wrong password"],
        ["matrix-account", "everything that a homeserver offers"],
        ["matrix-account", "this device to be signed out, in the question"],
        ["oidc-login", "error: no network"],
        ["oidc-callback", "error: no network, to be tried again"],
        ["uia-dialog", "email, sent"],
        ["uia-dialog", "password, wrong"],
        ["uia-fallback-frame", "opened"],
      ] as const) {
        it(`is accessible with the theme ${name}, ${scheme}: <${tag}> ${state}`, async () => {
          await executeServerCommand("emulate-features", { "prefers-color-scheme": scheme });
          adopt(css);
          const shown = STATES[tag]?.find((each) => each.name === state);
          if (!shown) throw new Error(`no ${state}`);
          await shown.show();
          expect(await whatAxeFinds({ name: scheme })).to.deep.equal([]);
        });
      }
    }
  }
});
