import { expect, fixture, html } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import type { MatrixLoginElement } from "matrix-auth-elements";
import type { LoginMethod, TestServers } from "matrix-auth-elements/testing";
import { restoreStubs } from "../../support/stub.js";
import { inState, loadFrame, nextEvent, part, recordEvents } from "../support/element.js";
import {
  AUTH_METADATA,
  HOMESERVER,
  ISSUER,
  WELL_KNOWN,
  hold,
  logOf,
  useTestServers,
} from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { fill, homeserverField, make, makeAsking, ready, typeHomeserver } from "./fixture.js";

const FLOWS = `GET ${HOMESERVER}/_matrix/client/v3/login`;

describe("The homeserver of <matrix-login>", () => {
  let servers: TestServers;

  beforeEach(async () => {
    servers = await useTestServers({ login: ["password"] });
    // An earlier test may have registered a client.
    sessionStorage.clear();
  });
  afterEach(restoreStubs);

  /** Makes the homeserver list these flows, or respond with an error. */
  const list = (flows: readonly object[], status = 200): unknown =>
    servers.override("GET /login", () => Response.json({ flows }, { status }));

  const legacy: readonly LoginMethod[] = ["sso", "password"];
  const every: readonly LoginMethod[] = ["oauth", "sso", "password"];
  const password = { type: "m.login.password" };
  const aware = { type: "m.login.sso", oauth_aware_preferred: true };
  const unstableAware = {
    type: "m.login.sso",
    "org.matrix.msc3824.delegated_oidc_compatibility": true,
  };
  const found: readonly [string, readonly LoginMethod[], string, string, (() => unknown)?][] = [
    ["only OAuth 2.0, although there is a password", ["oauth", "password"], "", "oauth"],
    [
      "the rest of methods too, in its order",
      ["oauth", "password"],
      "password oauth",
      "password oauth",
    ],
    ["only what methods lists", legacy, "password", "password"],
    ["only OAuth 2.0 if it is preferred", every, "", "oauth"],
    [
      "what methods lists, also where OAuth 2.0 is preferred",
      every,
      "password sso oauth",
      "password sso oauth",
    ],
    [
      "only single sign-on if OAuth 2.0 is preferred but missing",
      legacy,
      "",
      "sso",
      () => list([aware, password]),
    ],
    ["the same under its unstable name", legacy, "", "sso", () => list([unstableAware, password])],
    ["what /login lists", legacy, "", "sso password"],
    ["OAuth 2.0 without a legacy API", ["oauth"], "", "oauth"],
    ["OAuth 2.0 where /login fails", ["oauth"], "", "oauth", () => list([], 500)],
  ];
  for (const [what, login, wanted, methods, arrange] of found) {
    it(`offers ${what}`, async () => {
      servers = await useTestServers({ login });
      arrange?.();
      const element = await ready({ methods: wanted });
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

  it("fires matrix-login-homeserver after one request each for the well-known file, the metadata, and the flows", async () => {
    const element = await make({ homeserver: undefined });
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
      expect(logOf(servers).filter((line) => line === once)).to.have.length(1);
    }
    expect(logOf(servers)[0]).to.equal(WELL_KNOWN);
  });

  it("does not repeat its lookup to sign in with OAuth 2.0", async () => {
    servers = await useTestServers();
    const element = await ready();
    const redirect = nextEvent(document, "matrix-login-redirect");
    document.addEventListener("matrix-login-redirect", (event) => event.preventDefault(), {
      once: true,
    });
    await element.start("oauth");
    expect((await redirect).detail.url).to.contain(`${ISSUER}authorize`);
    for (const once of [WELL_KNOWN, AUTH_METADATA]) {
      expect(logOf(servers).filter((line) => line === once)).to.have.length(1);
    }
  });

  it("shows an OAuth 2.0 error once, at its button", async () => {
    servers = await useTestServers();
    servers.refuse("/register", 400, { error: "invalid_client_metadata" }, { times: Infinity });
    const element = await ready();
    const error = nextEvent(document, "matrix-login-error");
    await element.start("oauth");
    expect((await error).detail).to.include({ method: "oauth", code: "registration_refused" });
    await inState(element, "error");
    expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    const button = element.shadowRoot?.querySelector("oidc-login");
    expect(button?.shadowRoot?.querySelector("[part=error]")?.textContent).not.to.equal("");
  });

  const json = (status: number, body: object) => (): Response => Response.json(body, { status });
  const page = (status: number) => (): Response =>
    new Response("<!doctype html><title>Welcome</title>", {
      status,
      headers: { "Content-Type": "text/html" },
    });
  const broken = [
    ["fails with 500", json(500, {}), "server_error"],
    ["fails with a proxy's 502", page(502), "server_error"],
    ["is rejected with 403", json(403, { errcode: "M_FORBIDDEN" }), "unexpected_status"],
    [
      "is limited",
      json(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 60_000 }),
      "rate_limited",
    ],
    ["is a web page", page(200), "response_not_json"],
    ["is not JSON", () => new Response("{"), "response_not_json"],
    ["cannot be fetched", () => Response.error(), "network_error"],
    ["has no endpoints", json(200, { issuer: ISSUER }), "metadata_invalid"],
  ] as const;
  for (const [what, respond, code] of broken) {
    it(`shows an error and no password form if the metadata ${what}`, async () => {
      servers.override("/v1/auth_metadata", respond, { times: Infinity });
      const error = nextEvent(document, "matrix-login-error");
      const element = await make();
      expect((await error).detail.code).to.equal(code);
      await inState(element, "error");
      expect(element.querySelector("input")).to.be.null;
      expect(element.shadowRoot?.querySelector("[part=submit], [part=provider]")).to.be.null;
    });
  }

  it("looks up again when its button is clicked after a temporary error", async () => {
    servers.refuse("/v1/auth_metadata", 500, {}, { times: 2 });
    const element = await make();
    await inState(element, "error");
    part(element, "continue").click();
    await inState(element, "ready");
    expect(element.error).to.be.undefined;
  });

  const impossible: readonly [string, readonly LoginMethod[], string, string][] = [
    ["nothing that the library supports", ["password"], "", "login_not_supported"],
    ["nothing at all", [], "", "login_not_supported"],
    ["not what methods lists", ["sso"], "password", "login_not_supported"],
    ["a password, and methods is misspelled", legacy, "passwort", "settings_invalid"],
  ];
  for (const [what, login, wanted, code] of impossible) {
    it(`shows ${code} if the homeserver offers ${what}`, async () => {
      servers = await useTestServers({ login });
      if (what.includes("supports")) list([{ type: "m.login.dummy" }]);
      const error = nextEvent(document, "matrix-login-error");
      await make({ methods: wanted });
      expect((await error).detail.code).to.equal(code);
    });
  }

  it("sends no request while a name is incomplete, and then one", async () => {
    const element = await makeAsking();
    for (const typed of ["h", "hs", "hs.", "hs.e", "hs.ex", "hs.exa", "hs.example"]) {
      typeHomeserver(element, typed);
    }
    expect(logOf(servers)).to.deep.equal([]);
    await inState(element, "ready");
    expect(logOf(servers).filter((line) => line === FLOWS)).to.have.length(1);
    expect(logOf(servers).every((line) => line.includes("//hs.example/"))).to.be.true;
  });

  it("doesn't look up a homeserver that the user was typing when the element was removed", async () => {
    const [left, stays] = [
      await make({ homeserver: undefined }),
      await make({ homeserver: undefined }),
    ];
    typeHomeserver(left, "left.example");
    left.remove();
    typeHomeserver(stays, "hs.example");
    await inState(stays, "ready");
    expect(logOf(servers).join()).not.to.contain("left.example");
  });

  it("shows an error only after the field has lost the focus", async () => {
    const element = await makeAsking();
    const events = recordEvents(document, "matrix-login-error");
    typeHomeserver(element, "unknown.example");
    await waitFor(() => logOf(servers).some((line) => line.includes("unknown.example")));
    await inState(element, "idle");
    expect(events).to.deep.equal([]);
    homeserverField(element).dispatchEvent(new Event("change"));
    await inState(element, "error");
    expect(events).to.deep.equal(["matrix-login-error"]);
    expect(homeserverField(element).getAttribute("aria-invalid")).to.equal("true");
  });

  it("shows the error of an invalid homeserver name when Enter is pressed", async () => {
    const element = await makeAsking();
    typeHomeserver(element, "not a name");
    homeserverField(element).dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    await inState(element, "error");
    expect(element.error).to.include({ code: "homeserver_invalid" });
    expect(homeserverField(element).value).to.equal("not a name");
  });

  it("ignores an Enter that belongs to an input method", async () => {
    const element = await makeAsking();
    typeHomeserver(element, "not a name");
    for (const init of [{ isComposing: true }, { keyCode: 229 }]) {
      homeserverField(element).dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", ...init }),
      );
    }
    await untilQuiet();
    expect(element.state).to.equal("idle");
  });

  for (const [what, login, focused] of [
    ["the first empty field of the password form", ["password"], "[name=username]"],
    ["the button of OAuth 2.0", ["oauth"], "oidc-login"],
    ["the button of single sign-on", ["sso"], "[part=provider]"],
  ] as const) {
    it(`moves the focus to ${what} after Enter, and shows the homeserver's name`, async () => {
      servers = await useTestServers({ login });
      const element = await makeAsking();
      homeserverField(element).focus();
      typeHomeserver(element, " HS.example/ ");
      await sendKeys({ press: "Enter" });
      await inState(element, "ready");
      const place = (): Element | null =>
        element.querySelector(focused) ?? element.shadowRoot?.querySelector(focused) ?? null;
      await waitFor(
        () =>
          place() && [document.activeElement, element.shadowRoot?.activeElement].includes(place()),
      );
      expect(part(element, "server-name").textContent).to.equal("hs.example");
    });
  }

  it("moves the focus to the button on Enter if a password manager has filled in the form", async () => {
    servers = await useTestServers({ login: ["password"] });
    const element = await makeAsking();
    homeserverField(element).focus();
    typeHomeserver(element, "hs.example");
    await inState(element, "ready");
    fill(element, { username: "alice", password: "filled in" });
    await sendKeys({ press: "Enter" });
    await waitFor(() => element.shadowRoot?.activeElement === part(element, "submit"));
  });

  for (const typed of [
    "bücher.example",
    "bücher。example",
    "＠alice：bücher.example",
    "matrix:u/alice:bücher.example",
    "https://matrix.to/#/@alice:bücher.example",
  ]) {
    it(`is looked up while the user types ${typed}`, async () => {
      const element = await makeAsking();
      typeHomeserver(element, typed);
      await waitFor(() => logOf(servers).some((line) => line.includes("xn--bcher-kva.example")));
    });
  }

  for (const typed of ["@Alice:HS.example.", "https://hs.example/", "matrix:u/alice:hs.example"]) {
    it(`is shown in the form in which it was looked up: ${typed}`, async () => {
      const element = await ready({ homeserver: typed });
      expect(part(element, "server-name").textContent).to.equal("hs.example");
    });
  }

  it("is looked up again if the element is removed during the lookup, and then added again", async () => {
    const { asked, release } = hold(servers, "/auth_metadata");
    const element = await make();
    await asked;
    const place = element.parentElement;
    element.remove();
    await untilQuiet();
    expect(element.state).to.equal("idle");
    release();
    place?.append(element);
    await inState(element, "ready");
  });

  it("is looked up if the element is removed while the user types the name, and then added again", async () => {
    const element = await makeAsking();
    typeHomeserver(element, "hs.example");
    const place = element.parentElement;
    element.remove();
    await untilQuiet();
    place?.append(element);
    await inState(element, "ready");
  });

  it("starts only one sign-in, at the first click", async () => {
    servers = await useTestServers({ login: ["oauth", "password"] });
    const { asked, release } = hold(servers, "/register");
    const element = await ready({ methods: "oauth password" });
    element.addEventListener("matrix-login-redirect", (event) => event.preventDefault());
    const starts = recordEvents(element, "matrix-login-start");
    const [first, second] = element.shadowRoot?.querySelectorAll("oidc-login") ?? [];
    void first?.login();
    await inState(element, "redirecting");
    await asked;
    await element.updateComplete;
    expect(second?.disabled).to.be.true;
    await second?.login();
    await element.start("registration");
    part(element, "submit").click();
    expect(starts).to.have.length(1);
    element.cancel();
    expect(element.state).to.equal("ready");
    release();
    await untilQuiet();
    expect(element.state).to.equal("ready");
    expect(logOf(servers).filter((line) => line.endsWith("/register"))).to.have.length(1);
  });

  it("starts only one sign-in if both buttons are clicked at the same time", async () => {
    servers = await useTestServers({ login: ["oauth"] });
    const element = await ready();
    element.addEventListener("matrix-login-redirect", (event) => event.preventDefault());
    const starts = recordEvents(element, "matrix-login-start");
    const both = [...(element.shadowRoot?.querySelectorAll("oidc-login") ?? [])];
    await Promise.all(both.map((each) => each.login()));
    expect([both.length, starts.length]).to.deep.equal([2, 1]);
  });

  it("shows no error if the page cancels matrix-login-error, and reports when the error is resolved", async () => {
    const element = await makeAsking();
    const states: string[] = [];
    element.addEventListener("statechange", () => states.push(element.state));
    element.addEventListener("matrix-login-error", (event) => event.preventDefault());
    await element.check("not a name");
    await element.updateComplete;
    expect(element.state).to.equal("error");
    expect(element.error).to.include({ code: "homeserver_invalid" });
    expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    await element.check("hs.example");
    expect(states.slice(-4)).to.deep.equal(["error", "idle", "checking", "ready"]);
  });

  const submitted = [
    ["", "homeserver_missing", "Enter your homeserver."],
    [
      "not a name",
      "homeserver_invalid",
      "This isn’t a valid homeserver address. Check it for typos.",
    ],
    [
      "exmaple.org",
      "network_error",
      "Can’t reach \u2068exmaple.org\u2069. Check the name and your connection.",
    ],
  ] as const;
  for (const [typed, code, sentence] of submitted) {
    it(`shows ${code} at the field when "${typed}" is submitted, until the user types something else`, async () => {
      const element = await makeAsking();
      typeHomeserver(element, typed);
      part(element, "continue").click();
      await inState(element, "error");
      expect(element.error).to.include({ code });
      expect(part(element, "error").textContent?.trim()).to.equal(sentence);
      expect(homeserverField(element).getAttribute("aria-describedby")).to.equal("error hint");
      expect(homeserverField(element).value).to.equal(typed);
      typeHomeserver(element, "h");
      await inState(element, "idle");
      expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    });
  }

  it("keeps its size while it looks up the homeserver", async () => {
    hold(servers, "/.well-known/matrix/client");
    const element = await make({ homeserver: undefined });
    const form = await waitFor(() => element.shadowRoot?.querySelector<HTMLElement>("[part=form]"));
    const height = form?.offsetHeight;
    element.homeserver = HOMESERVER;
    await inState(element, "checking");
    expect(form?.offsetHeight).to.equal(height);
  });

  it("looks up a suggested homeserver when its button is clicked", async () => {
    const element = await make({ homeserver: undefined, suggestions: "a.example hs.example" });
    const suggestions = await waitFor(() => {
      const found = element.shadowRoot?.querySelectorAll<HTMLElement>("[part=suggestion]");
      return found?.length ? [...found] : undefined;
    });
    expect(suggestions?.map(({ textContent }) => textContent.trim())).to.deep.equal([
      "a.example",
      "hs.example",
    ]);
    suggestions?.[1]?.click();
    await inState(element, "ready");
    expect(part(element, "server-name").textContent).to.equal("hs.example");
  });

  for (const suggestions of [null, true, new Set(["a.example"])]) {
    it(`asks for the homeserver even if suggestions is ${String(suggestions)}`, async () => {
      const element = await makeAsking();
      element.suggestions = suggestions as never;
      await element.updateComplete;
      typeHomeserver(element, HOMESERVER);
      part(element, "continue").click();
      await inState(element, "ready");
    });
  }

  const WAYS_ON = [
    ["is left", (input: HTMLInputElement) => input.dispatchEvent(new Event("change"))],
    [
      "gets Enter",
      (input: HTMLInputElement) =>
        input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" })),
    ],
    [
      "is confirmed",
      (_: HTMLInputElement, element: MatrixLoginElement) => part(element, "continue").click(),
    ],
    [
      "is used for a new account",
      (_: HTMLInputElement, element: MatrixLoginElement) => part(element, "register").click(),
    ],
  ] as const;
  for (const [when, goOn] of WAYS_ON) {
    it(`reads a field that was filled in without an event when it ${when}`, async () => {
      const element = await make({ homeserver: undefined });
      await waitFor(() => element.shadowRoot?.querySelector("[part=register]"));
      const input = homeserverField(element);
      input.value = "hs.example";
      goOn(input, element);
      await inState(element, "ready");
      expect(element.homeserverUrl).to.equal(HOMESERVER);
    });
  }

  it("creates an account on the homeserver in the field", async () => {
    const element = await makeAsking();
    part(element, "register").click();
    await inState(element, "error");
    expect(element.error).to.include({ code: "homeserver_missing" });
    typeHomeserver(element, "hs.example");
    part(element, "register").click();
    await waitFor(() => element.shadowRoot?.querySelector("[part=back]"));
    expect(element.view).to.equal("registration");
  });

  it("reports each view with an event and a property", async () => {
    const element = await makeAsking();
    const views: string[] = [];
    element.addEventListener("matrix-login-view", ({ detail, bubbles }) => {
      expect([detail.view, bubbles]).to.deep.equal([element.view, false]);
      views.push(detail.view);
    });
    expect(element.view).to.equal("homeserver");
    typeHomeserver(element, "hs.example");
    await inState(element, "ready");
    await element.start("registration");
    part(element, "back").click();
    await element.start("reset");
    part(element, "back").click();
    await element.updateComplete;
    typeHomeserver(element, "other");
    expect(views.join(" ")).to.equal("sign-in registration sign-in reset sign-in homeserver");
  });

  it("shows its field before the rest is loaded, and keeps the user's input and the focus", async () => {
    const frame = await loadFrame({
      srcdoc: `<!doctype html><script type="module" src="/dist/cdn/elements/matrix-login.js"></script>
        <body><matrix-login client-name="Lantern"></matrix-login>`,
      width: "600",
      height: "900",
    });
    const element = frame.contentDocument?.querySelector("matrix-login") as MatrixLoginElement;
    const field = await waitFor(() => element.shadowRoot?.querySelector<HTMLInputElement>("input"));
    expect(part(element, "heading").textContent).to.equal("Sign in to Lantern");
    expect(element.shadowRoot?.querySelector(".hint")?.textContent).to.contain(
      "The server where you have your account, for example matrix.org.",
    );
    field?.focus();
    typeHomeserver(element, "hs");
    await waitFor(() => element.shadowRoot?.querySelector("[role=status]"));
    expect(homeserverField(element)).to.equal(field);
    expect([field?.value, element.shadowRoot?.activeElement]).to.deep.equal(["hs", field]);
    frame.remove();
  });

  it("scrolls its error into view", async () => {
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

  it("leaves a page where it is if the lookup of the page's homeserver fails", async () => {
    servers.refuse("/v1/auth_metadata", 500, {}, { times: 4 });
    const page = await fixture(
      html`<div style="block-size: 60px; overflow: auto">
        <div style="block-size: 400px"></div>
        <matrix-login homeserver=${HOMESERVER}></matrix-login>
      </div>`,
    );
    const element = page.querySelector("matrix-login") as MatrixLoginElement;
    await inState(element, "error");
    await waitFor(() => part(element, "error").textContent.trim());
    await element.updateComplete;
    expect(page.scrollTop).to.equal(0);
    // The user tries again.
    part(element, "continue").click();
    await waitFor(() => page.scrollTop > 0);
  });

  it("looks up once when a click on its button takes the focus from the field", async () => {
    const element = await makeAsking();
    typeHomeserver(element, HOMESERVER);
    homeserverField(element).dispatchEvent(new Event("change"));
    part(element, "continue").click();
    await inState(element, "ready");
    expect(logOf(servers).filter((line) => line === FLOWS)).to.have.length(1);
    expect(element.shadowRoot?.querySelector("[part=continue]")).to.be.null;
  });

  it("looks up again with Try again if its field is hidden", async () => {
    servers.refuse("/v1/auth_metadata", 500, {}, { times: 2 });
    const element = await make({ "homeserver-locked": "" });
    await inState(element, "error");
    part(element, "retry").click();
    await inState(element, "ready");
  });

  it("ignores a late response for an earlier name", async () => {
    const other = { homeserver: "https://late.example", fetch: window.fetch };
    const late = hold(await useTestServers(other), "/.well-known/matrix/client");
    const element = await make({ homeserver: "late.example" });
    await late.asked;
    element.homeserver = HOMESERVER;
    await inState(element, "ready");
    late.release();
    await untilQuiet();
    expect(element.homeserverUrl).to.equal(HOMESERVER);
    expect(element.state).to.equal("ready");
  });

  it("fills in the user if homeserver is a user ID", async () => {
    const element: MatrixLoginElement = await ready({ homeserver: "@alice:hs.example" });
    expect(element.querySelector<HTMLInputElement>("[name=username]")?.value).to.equal("alice");
  });

  it("fills in the user if a user ID is typed as the homeserver", async () => {
    const element = await makeAsking();
    typeHomeserver(element, "@alice:hs.example");
    await inState(element, "ready");
    expect(element.querySelector<HTMLInputElement>("[name=username]")?.value).to.equal("alice");
  });

  it("removes all input with reset()", async () => {
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

  it("removes what was typed before the code is loaded with reset()", async () => {
    const element = document.createElement("matrix-login");
    document.body.append(element);
    await element.updateComplete;
    typeHomeserver(element, "hs.exam");
    element.reset();
    await waitFor(() => homeserverField(element).value === "", "it is still there");
    await untilQuiet();
    expect(homeserverField(element).value).to.equal("");
    expect(logOf(servers)).to.deep.equal([]);
    element.remove();
  });
});
