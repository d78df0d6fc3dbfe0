import { expect, fixture, html } from "@open-wc/testing";
import type { MatrixLoginElement } from "matrix-auth-elements";
import {
  held,
  html as page,
  inSequence,
  json,
  networkFailure,
  never,
  text,
  type ScriptedFetch,
} from "../../support/scripted-fetch.js";
import { restoreStubs } from "../../support/stub.js";
import { inState, nextEvent, part, recordEvents } from "../support/element.js";
import {
  AUTH_METADATA,
  HOMESERVER,
  METADATA,
  REGISTRATION,
  WELL_KNOWN,
} from "../support/servers.js";
import { timeForMore, waitFor } from "../support/wait-for.js";
import {
  FLOWS,
  UNRECOGNIZED,
  flows,
  homeserverField,
  make,
  ready,
  scriptLegacyServer,
  typeHomeserver,
} from "./fixture.js";

describe("The homeserver of <matrix-login>", () => {
  let servers: ScriptedFetch;

  beforeEach(() => {
    servers = scriptLegacyServer();
    // A client that a test before this one has registered.
    sessionStorage.clear();
  });
  afterEach(restoreStubs);

  const both = flows("m.login.sso", "m.login.password");
  const aware = { type: "m.login.sso", oauth_aware_preferred: true };
  const unstableAware = {
    type: "m.login.sso",
    "org.matrix.msc3824.delegated_oidc_compatibility": true,
  };
  const found = [
    ["OAuth 2.0 alone, although there is a password", true, both, "", "oauth"],
    ["the rest of methods too, in its order", true, both, "password oauth", "password oauth"],
    ["only what methods lists", false, both, "password", "password"],
    ["OAuth 2.0 alone where it is preferred", true, flows(aware, "m.login.password"), "", "oauth"],
    [
      "OAuth 2.0 alone where it is preferred, whatever methods lists",
      true,
      flows(aware, "m.login.password"),
      "password sso oauth",
      "oauth",
    ],
    [
      "single sign-on alone where OAuth 2.0 is preferred but missing",
      false,
      flows(aware, "m.login.password"),
      "",
      "sso",
    ],
    ["the same by its unstable name", false, flows(unstableAware, "m.login.password"), "", "sso"],
    ["what /login lists", false, both, "", "sso password"],
    ["OAuth 2.0 where there is no legacy API", true, UNRECOGNIZED, "", "oauth"],
    ["OAuth 2.0 where /login fails", true, json({}, 500), "", "oauth"],
  ] as const;
  for (const [what, hasOAuth, login, wanted, methods] of found) {
    it(`offers ${what}`, async () => {
      if (hasOAuth) servers.routes[AUTH_METADATA] = json(METADATA);
      servers.routes[FLOWS] = login;
      const element = await ready(
        html`<matrix-login homeserver=${HOMESERVER} methods=${wanted}></matrix-login>`,
      );
      const shown = [
        ...(element.shadowRoot?.querySelectorAll("oidc-login, [part=provider], [part=submit]") ??
          []),
      ].map((each) =>
        each.localName === "oidc-login" ? "oauth" : each.part[0] === "submit" ? "password" : "sso",
      );
      expect([...new Set(shown)].join(" ")).to.equal(methods);
      expect(element.querySelector("input[type=password]") !== null).to.equal(
        methods.includes("password"),
      );
    });
  }

  it("fires matrix-login-homeserver, after its well-known file, then metadata and flows once each", async () => {
    const element = await make(html`<matrix-login></matrix-login>`);
    const event = nextEvent(element, "matrix-login-homeserver");
    element.homeserver = "hs.example";
    const { detail, bubbles } = await event;
    expect(detail).to.deep.include({
      homeserver: "hs.example",
      homeserverUrl: HOMESERVER,
      methods: ["password"],
    });
    expect(Object.keys(detail).sort()).to.deep.equal([
      "flows",
      "homeserver",
      "homeserverUrl",
      "methods",
    ]);
    expect(bubbles).to.be.false;
    expect(element.flows?.password).to.be.true;
    for (const once of [AUTH_METADATA, FLOWS]) {
      expect(servers.log.filter((line) => line === once)).to.have.length(1);
    }
    expect(servers.log[0]).to.equal(WELL_KNOWN);
  });

  it("does not look up again what it knows, to sign in by OAuth 2.0", async () => {
    servers.routes[AUTH_METADATA] = json(METADATA);
    const element = await ready();
    const redirect = nextEvent(document, "matrix-login-redirect");
    document.addEventListener("matrix-login-redirect", (event) => event.preventDefault(), {
      once: true,
    });
    await element.start("oauth");
    expect((await redirect).detail.url).to.contain(METADATA.authorization_endpoint);
    for (const once of [WELL_KNOWN, AUTH_METADATA]) {
      expect(servers.log.filter((line) => line === once)).to.have.length(1);
    }
  });

  it("shows once what went wrong with OAuth 2.0, at its button", async () => {
    servers.routes[AUTH_METADATA] = json(METADATA);
    servers.routes[REGISTRATION] = json({ error: "invalid_client_metadata" }, 400);
    const element = await ready();
    const error = nextEvent(document, "matrix-login-error");
    await element.start("oauth");
    expect((await error).detail).to.include({ method: "oauth", code: "registration_refused" });
    await inState(element, "error");
    expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    const button = element.shadowRoot?.querySelector("oidc-login");
    expect(button?.shadowRoot?.querySelector("[part=error]")?.textContent).not.to.equal("");
  });

  const broken = [
    ["fails with 500", json({}, 500), "server_error"],
    ["fails with a proxy's 502", page(502), "server_error"],
    ["is refused with 403", json({ errcode: "M_FORBIDDEN" }, 403), "unexpected_status"],
    [
      "is limited",
      json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 }, 429),
      "rate_limited",
    ],
    ["is a web page", page(200), "response_not_json"],
    ["is no JSON", text("{"), "response_not_json"],
    ["cannot be fetched", networkFailure, "network_error"],
    ["has no endpoints", json({ issuer: METADATA.issuer }), "metadata_invalid"],
  ] as const;
  for (const [what, respond, code] of broken) {
    it(`shows an error and no password form where the metadata ${what}`, async () => {
      servers.routes[AUTH_METADATA] = respond;
      const error = nextEvent(document, "matrix-login-error");
      const element = await make();
      expect((await error).detail.code).to.equal(code);
      await inState(element, "error");
      expect(element.querySelector("input")).to.be.null;
      expect(element.shadowRoot?.querySelector("[part=submit], [part=provider]")).to.be.null;
    });
  }

  it("asks once more by its button, after an error that may pass", async () => {
    servers.routes[AUTH_METADATA] = inSequence(json({}, 500), json({}, 500), UNRECOGNIZED);
    const element = await make();
    await inState(element, "error");
    part(element, "continue").click();
    await inState(element, "ready");
    expect(element.error).to.be.undefined;
  });

  const impossible = [
    ["nothing that the library knows", flows("m.login.dummy"), "", "login_not_supported"],
    ["nothing at all", UNRECOGNIZED, "", "login_not_supported"],
    ["not what methods lists", flows("m.login.sso"), "password", "login_not_supported"],
    ["a password, and methods is misspelled", both, "passwort", "settings_invalid"],
  ] as const;
  for (const [what, login, wanted, code] of impossible) {
    it(`shows ${code} where the homeserver offers ${what}`, async () => {
      servers.routes[FLOWS] = login;
      const error = nextEvent(document, "matrix-login-error");
      await make(html`<matrix-login homeserver=${HOMESERVER} methods=${wanted}></matrix-login>`);
      expect((await error).detail.code).to.equal(code);
    });
  }

  it("asks nothing while a name is incomplete, and then once", async () => {
    const element = await make(html`<matrix-login></matrix-login>`);
    await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
    for (const typed of ["h", "hs", "hs.", "hs.e", "hs.ex", "hs.exa", "hs.example"]) {
      typeHomeserver(element, typed);
    }
    expect(servers.log).to.deep.equal([]);
    await inState(element, "ready");
    expect(servers.log.filter((line) => line === FLOWS)).to.have.length(1);
    expect(servers.log.every((line) => line.includes("//hs.example/"))).to.be.true;
  });

  it("shows no error while a name is typed, but once the field is left", async () => {
    const element = await make(html`<matrix-login></matrix-login>`);
    await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
    const events = recordEvents(document, "matrix-login-error");
    typeHomeserver(element, "unknown.example");
    await waitFor(() => servers.log.some((line) => line.includes("unknown.example")));
    await inState(element, "idle");
    expect(events).to.deep.equal([]);
    homeserverField(element).dispatchEvent(new Event("change"));
    await inState(element, "error");
    expect(events).to.deep.equal(["matrix-login-error"]);
    expect(homeserverField(element).getAttribute("aria-invalid")).to.equal("true");
  });

  it("shows the error of a name that is no homeserver's by Enter", async () => {
    const element = await make(html`<matrix-login></matrix-login>`);
    await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
    typeHomeserver(element, "not a name");
    homeserverField(element).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    await inState(element, "error");
    expect(element.error).to.include({ code: "homeserver_invalid" });
    expect(homeserverField(element).value).to.equal("not a name");
  });

  const submitted = [
    ["", "homeserver_missing", "Enter your homeserver."],
    [
      "not a name",
      "homeserver_invalid",
      "“\u2068not a name\u2069” isn’t a homeserver’s name. Check it for typos.",
    ],
    [
      "exmaple.org",
      "network_error",
      "Can’t reach \u2068exmaple.org\u2069. Check the name and your connection.",
    ],
  ] as const;
  for (const [typed, code, sentence] of submitted) {
    it(`shows ${code} at the field, and leaves its button where it is, when "${typed}" is submitted`, async () => {
      const element = await make(html`<matrix-login></matrix-login>`);
      await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
      typeHomeserver(element, typed);
      const place = (): DOMRect => part(element, "continue").getBoundingClientRect();
      const before = place();
      part(element, "continue").click();
      await inState(element, "error");
      expect(element.error).to.include({ code });
      expect(part(element, "error").textContent?.trim()).to.equal(sentence);
      expect(homeserverField(element).getAttribute("aria-describedby")).to.equal("error");
      expect(homeserverField(element).value).to.equal(typed);
      expect(place()).to.deep.equal(before);
      typeHomeserver(element, "h");
      await inState(element, "idle");
      expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    });
  }

  it("keeps its size while it asks the homeserver", async () => {
    servers.routes[WELL_KNOWN] = never;
    const element = await make(html`<matrix-login></matrix-login>`);
    const form = await waitFor(() => element.shadowRoot?.querySelector<HTMLElement>("[part=form]"));
    const height = form?.offsetHeight;
    element.homeserver = HOMESERVER;
    await inState(element, "checking");
    expect(form?.offsetHeight).to.equal(height);
  });

  it("scrolls its error into sight", async () => {
    const page = await fixture(
      html`<div style="block-size: 60px; overflow: auto">
        <matrix-login></matrix-login>
      </div>`,
    );
    const element = page.querySelector("matrix-login");
    if (!element) throw new Error("no element");
    await waitFor(() => element.shadowRoot?.querySelector("[part=continue]"));
    part(element, "continue").click();
    await inState(element, "error");
    const { bottom } = part(element, "error").getBoundingClientRect();
    expect(bottom).to.be.at.most(page.getBoundingClientRect().bottom + 1);
  });

  it("asks once when the field is left by a click on its button", async () => {
    const element = await make(html`<matrix-login></matrix-login>`);
    await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
    typeHomeserver(element, HOMESERVER);
    homeserverField(element).dispatchEvent(new Event("change"));
    part(element, "continue").click();
    await inState(element, "ready");
    expect(servers.log.filter((line) => line === FLOWS)).to.have.length(1);
    expect(element.shadowRoot?.querySelector("[part=continue]")).to.be.null;
  });

  it("asks once more by Try again where its field is not shown", async () => {
    servers.routes[AUTH_METADATA] = inSequence(json({}, 500), json({}, 500), UNRECOGNIZED);
    const element = await make(
      html`<matrix-login homeserver=${HOMESERVER} homeserver-locked></matrix-login>`,
    );
    await inState(element, "error");
    part(element, "retry").click();
    await inState(element, "ready");
  });

  it("drops a late response for an earlier name", async () => {
    const late = held(json({ "m.homeserver": { base_url: "https://late.example" } }));
    servers.routes["GET https://late.example/.well-known/matrix/client"] = late.respond;
    const element = await make(html`<matrix-login homeserver="late.example"></matrix-login>`);
    await late.asked;
    element.homeserver = HOMESERVER;
    await inState(element, "ready");
    late.release();
    await timeForMore();
    expect(element.homeserverUrl).to.equal(HOMESERVER);
    expect(element.state).to.equal("ready");
  });

  it("fills in the user where homeserver is a user ID", async () => {
    const element: MatrixLoginElement = await ready(
      html`<matrix-login homeserver="@alice:hs.example"></matrix-login>`,
    );
    expect(element.querySelector<HTMLInputElement>("[name=username]")?.value).to.equal("alice");
  });

  it("forgets everything by reset()", async () => {
    const element = await ready();
    element.homeserver = undefined;
    element.reset();
    await inState(element, "idle");
    expect([element.homeserverUrl, element.flows, element.method]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    expect(element.querySelector("input")).to.be.null;
  });
});
