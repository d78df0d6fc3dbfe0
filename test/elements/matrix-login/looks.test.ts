// The appearance of <matrix-login> as an app's front page.
import { expect, html } from "@open-wc/testing";
import type { MatrixLoginElement } from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { inState, loadFrame, part } from "../support/element.js";
import { HOMESERVER, hold, useTestServers } from "../support/test-servers.js";
import { waitFor } from "../support/wait-for.js";
import { fill, homeserverField, make, ready, typeHomeserver } from "./fixture.js";

const LOGO =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E";

describe("The appearance of <matrix-login>", () => {
  let servers: TestServers;

  beforeEach(async () => {
    servers = await useTestServers({
      login: ["password"],
      accounts: { alice: "secret-password" },
    });
    sessionStorage.clear();
  });
  afterEach(restoreStubs);

  const signIn = (element: MatrixLoginElement): void => {
    fill(element, { username: "alice", password: "secret-password" });
    part(element, "submit").click();
  };

  const find = <E extends HTMLElement>(element: Element, selector: string): E | null | undefined =>
    element.shadowRoot?.querySelector<E>(selector);

  it("names the app, with its logo", async () => {
    const element = await ready({ "client-name": "Lantern", "logo-uri": LOGO });
    expect(part(element, "heading").textContent).to.equal("Sign in to Lantern");
    expect(part(element, "logo").checkVisibility()).to.be.true;
  });

  it("shows no gap for a logo that cannot be loaded", async () => {
    const element = await ready({ "logo-uri": "data:," });
    await waitFor(() => !part(element, "logo").checkVisibility());
    element.logoUri = LOGO;
    await waitFor(() => part(element, "logo").checkVisibility());
  });

  for (const [where, issuer, label] of [
    ["the homeserver", "https://auth.hs.example/", "Continue with hs.example"],
    ["a provider elsewhere", "https://idp.example/", "Continue with idp.example"],
    ["a provider of a similar name", "https://nohs.example/", "Continue with nohs.example"],
  ] as const) {
    it(`shows on its button that the button opens ${where}`, async () => {
      await useTestServers({ issuer });
      const element = await ready();
      expect(find(element, "oidc-login")?.innerText).to.equal(label);
    });
  }

  for (const login of ["oauth", "password"] as const) {
    it(`shows one link to create an account, below the rest, if users sign in with ${login}`, async () => {
      await useTestServers({ login: [login] });
      const element = await ready({ methods: "oauth password" });
      const links = find(element, ".links");
      expect(links?.innerText.match(/Create account/g)).to.have.length(1);
      const { lastElementChild: last } = links ?? {};
      await (last as Partial<MatrixLoginElement>).updateComplete;
      const button = last?.shadowRoot?.querySelector("button") ?? (last as Element);
      expect(getComputedStyle(button).textDecorationLine).to.equal("underline");
      expect(part(element, "methods").lastElementChild === links).to.be.true;
    });
  }

  it("shows the homeserver's name, and a button that returns to its field", async () => {
    const element = await ready({ homeserver: "@alice:hs.example" });
    expect(part(element, "server-name").textContent).to.equal("hs.example");
    expect(find(element, "#homeserver")).to.be.null;
    part(element, "change").click();
    await waitFor(() => element.shadowRoot?.activeElement === find(element, "#homeserver"));
    const field = homeserverField(element);
    expect(field.value.slice(field.selectionStart ?? 0)).to.equal("@alice:hs.example");
    expect([element.state, part(element, "methods").innerText.trim()]).to.deep.equal(["idle", ""]);
    part(element, "continue").click();
    await inState(element, "ready");
    expect(part(element, "server-name").textContent).to.equal("hs.example");
  });

  it("leaves space around a homeserver's name above its button in a narrow card", async () => {
    const element = await ready({ style: "inline-size: 15em" });
    const name = part(element, "server-name");
    const around = name.parentElement?.getBoundingClientRect();
    expect(part(element, "change").getBoundingClientRect().top).to.be.above(
      name.getBoundingClientRect().bottom - 1,
    );
    expect(name.getBoundingClientRect().top - (around?.top ?? 0)).to.be.above(3);
  });

  it("keeps the field while the user types, and shifts no content when the field loses the focus", async () => {
    const element = await make({ homeserver: undefined });
    await waitFor(() => find(element, "#homeserver"));
    homeserverField(element).focus();
    typeHomeserver(element, "hs.example");
    await inState(element, "ready");
    expect(element.shadowRoot?.activeElement === homeserverField(element)).to.be.true;
    const place = (): DOMRect => part(element, "submit").getBoundingClientRect();
    const before = place();
    homeserverField(element).dispatchEvent(new Event("change"));
    await element.updateComplete;
    expect(part(element, "server-name").textContent).to.equal("hs.example");
    expect(place()).to.deep.equal(before);
  });

  it("shows an error at the field for the homeserver", async () => {
    const element = await make({ homeserver: "not a name" });
    await inState(element, "error");
    expect(find(element, "[part=homeserver] [part=error]")).to.exist;
  });

  it("shows the initial of an identity provider that has no icon", async () => {
    await useTestServers({
      login: ["sso"],
      identityProviders: [
        { id: "a", name: "GitHub", brand: "github" },
        { id: "b", name: "university of nowhere", brand: "university" },
        { id: "c", name: "😀 Club" },
        { id: "d", name: "🇨🇭 Club" },
      ],
    });
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER}><i slot="idp-icon-github"></i></matrix-login>`,
    );
    const shown = [...(element.shadowRoot?.querySelectorAll("[part=initial]") ?? [])]
      .filter((each) => each.checkVisibility() && each.getClientRects().length > 0)
      .map((each) => each.getAttribute("data-initial"));
    expect(shown).to.deep.equal(["U", "😀", "🇨🇭"]);
  });

  it("keeps the direction of an identity provider's name in a right-to-left sentence", async () => {
    await useTestServers({ login: ["sso"], identityProviders: [{ id: "a", name: "Work (SSO)" }] });
    const element = await ready({ lang: "ar" });
    expect(part(element, "provider").querySelector("bdi")?.textContent).to.equal("Work (SSO)");
  });

  const SSO = { type: "m.login.sso", identity_providers: [{ id: "a", name: "Company" }] };
  for (const [what, flows, isMain] of [
    ["it is the only method", [SSO], true],
    ["there are passwords, too", [SSO, { type: "m.login.password" }], false],
    [
      "there is another one",
      [{ ...SSO, identity_providers: [...SSO.identity_providers, { id: "b", name: "Other" }] }],
      false,
    ],
  ] as const) {
    it(`shows a provider ${isMain ? "as the main button" : "as one of several buttons"} if ${what}`, async () => {
      servers = await useTestServers({ login: ["sso", "password"] });
      servers.override("GET /login", () => Response.json({ flows }), { times: Infinity });
      const element = await ready();
      const { backgroundColor } = getComputedStyle(part(element, "provider"));
      expect(backgroundColor === "rgba(0, 0, 0, 0)").to.equal(!isMain);
    });
  }

  it("shows the icon of a brand at the start of the button, in the color of the text", async () => {
    const brands = ["apple", "facebook", "github", "gitlab", "google", "twitter", "x"];
    // A flag, a family, a skin tone, a letter with a vowel sign, and a letter with its accent apart.
    const characters = ["🇳🇱", "👨‍👩‍👧", "👍🏽", "नि", "E\u0301"];
    await useTestServers({
      login: ["sso"],
      identityProviders: [
        ...brands.map((brand) => ({ id: brand, name: `A longer name, ${brand}`, brand })),
        { id: "a", name: "No brand" },
        { id: "b", name: "Unknown", brand: "constructor" },
        ...characters.map((character, nth) => ({ id: `${nth}`, name: `${character}name` })),
      ],
    });
    const element = await ready();
    const icons = await waitFor(() => {
      const found = element.shadowRoot?.querySelectorAll("[part=provider] svg");
      return found?.length === brands.length && [...found];
    });
    const shapes = new Set((icons || []).map((icon) => icon.querySelector("path")?.outerHTML));
    // X has replaced Twitter.
    expect(shapes).to.have.length(brands.length - 1);
    for (const icon of icons || []) {
      const { fill, color } = getComputedStyle(icon);
      expect(fill).to.equal(color);
      expect(icon.getAttribute("aria-hidden")).to.equal("true");
    }
    const initials = element.shadowRoot?.querySelectorAll("[part=initial]") ?? [];
    expect([...initials].map((each) => each.getAttribute("data-initial"))).to.deep.equal([
      "N",
      "U",
      ...characters,
    ]);
    const places = [...(icons || []), ...initials].map((each) => {
      const { left, width } = each.getBoundingClientRect();
      return [Math.round(left), Math.round(width)].join();
    });
    expect(new Set(places)).to.have.length(1);
  });

  it("keeps the label and the size of a button that is busy", async () => {
    const late = hold(servers, "POST /login");
    const element = await ready();
    const button = part(element, "submit");
    const label = button.querySelector("span");
    const before = [button.offsetWidth, label?.getBoundingClientRect().left];
    signIn(element);
    await late.asked;
    await element.updateComplete;
    expect(button.ariaBusy).to.equal("true");
    expect(label?.innerText).to.equal("Sign in to hs.example");
    expect(label?.checkVisibility({ opacityProperty: true })).to.be.true;
    expect([button.offsetWidth, label?.getBoundingClientRect().left]).to.deep.equal(before);
    late.release();
    await inState(element, "success");
  });

  it("takes little space after the sign-in, for the app's content", async () => {
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER}>
        <a slot="after-success" href="#in">Open Lantern</a>
      </matrix-login>`,
    );
    const link = element.querySelector("a");
    expect(link?.getClientRects()).to.have.length(0);
    signIn(element);
    await inState(element, "success");
    expect(part(element, "notice").innerText).to.equal("You’re signed in.");
    expect(link?.getClientRects()).to.have.length(1);
  });

  const blank = (head: string, body = ""): Promise<HTMLIFrameElement> =>
    loadFrame({
      srcdoc: `<!doctype html>${head}<script type="module" src="/dist/cdn/matrix-auth-elements.js"></script>
        <body>${body}<matrix-login></matrix-login>`,
      width: "600",
      height: "900",
    });

  const SHEET = "<style>body { margin: 0 }</style>";
  const META = '<meta name="color-scheme" content="light" />';
  for (const [what, head, body, scheme, isInMiddle] of [
    [
      "in the middle, with the user's color scheme, without a style sheet",
      "",
      "",
      "light dark",
      true,
    ],
    ["at its place, with the page's color scheme, with a style sheet", SHEET, "", "normal", false],
    ["in the middle, with the page's color scheme, with a color-scheme", META, "", "normal", true],
    [
      "below the content before it, with the user's color scheme",
      "",
      "<h1>Lantern</h1>",
      "light dark",
      false,
    ],
  ] as const) {
    it(`fits the page: ${what}`, async () => {
      const frame = await blank(head, body);
      const page = frame.contentDocument as Document;
      const element = page.querySelector("matrix-login") as MatrixLoginElement;
      const form = await waitFor(() => find(element, "[part=form]"));
      const { top = 0, bottom = 0 } = form?.getBoundingClientRect() ?? {};
      const view = page.documentElement.clientHeight;
      expect(Math.abs(top - (view - bottom)) < 2).to.equal(isInMiddle);
      expect(page.documentElement.scrollHeight).to.equal(view);
      const { colorScheme } = getComputedStyle(page.documentElement);
      expect(colorScheme).to.equal(scheme);
      frame.remove();
    });
  }
});
