import { expect, fixture, html } from "@open-wc/testing";
import {
  LegacySession,
  hasSession,
  listSessions,
  type MatrixLoginElement,
} from "matrix-auth-elements";
import type { TestServers } from "matrix-auth-elements/testing";
import { Clock, until } from "../../support/clock.js";
import { fillStorage, restoreStubs, stub } from "../../support/stub.js";
import {
  descriptionOf,
  inState,
  loadFrame,
  nextEvent,
  part,
  recordEvents,
} from "../support/element.js";
import { HOMESERVER, bodiesTo, hold, logOf, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import {
  USER,
  field,
  fill,
  homeserverField,
  make,
  makeAsking,
  openForm,
  ready,
  typeHomeserver,
} from "./fixture.js";

const ALWAYS = { times: Infinity };

describe("<matrix-login> with a password", () => {
  let servers: TestServers;

  beforeEach(async () => {
    servers = await useTestServers({
      login: ["sso", "password"],
      accounts: {
        alice: {
          password: "secret-password",
          emails: ["alice@mail.example"],
          phones: ["447700900123"],
        },
        bob: "secret-password",
      },
    });
    sessionStorage.clear();
    localStorage.clear();
  });
  afterEach(() => {
    restoreStubs();
    localStorage.clear();
  });

  const signIn = (element: MatrixLoginElement, username = "alice"): void => {
    const name = element.querySelector<HTMLInputElement>('[name="username"]');
    fill(element, {
      ...(!name?.readOnly && { username }),
      password: "secret-password",
    });
    part(element, "submit").click();
  };

  const bodies = (): ReturnType<typeof bodiesTo> => bodiesTo(servers, "POST /login");

  const errorCode = async (): Promise<string> =>
    (await nextEvent(document, "matrix-login-error")).detail.code;
  /** The code of the error with which a sign-in fails. */
  const refusalOf = async (element: MatrixLoginElement): Promise<string> => {
    const code = errorCode();
    signIn(element);
    await code;
    await element.updateComplete;
    return code;
  };
  const succeed = (element: MatrixLoginElement, username?: string): Promise<void> => {
    signIn(element, username);
    return inState(element, "success");
  };
  const fail = (element: MatrixLoginElement, username?: string): Promise<void> => {
    signIn(element, username);
    return inState(element, "error");
  };

  /** The user's signed-in devices. */
  const deviceIds = (user: string): readonly string[] | undefined =>
    servers.account(user)?.devices.map(({ device_id }) => device_id);

  it("keeps the session in the store of persist, and leaves the password nowhere", async () => {
    const element = await ready({ persist: "local" });
    // Preact writes an empty text for `null`.
    Object.assign(element, { store: "" });
    const success = nextEvent(document, "matrix-login-success");
    signIn(element);
    const { detail } = await success;
    expect(detail).to.include({ method: "password", userId: USER });
    expect(deviceIds("alice")).to.deep.equal([detail.deviceId]);
    expect([detail.session, detail.client]).to.deep.equal([element.session, element.client]);
    expect(hasSession({ store: "localStorage" })).to.be.true;
    expect(JSON.stringify(detail)).not.to.match(/secret-|token-/);
    expect(document.querySelector("input[type=password]")).to.be.null;
    detail.session.close();
  });

  it("applies timeout-ms to the sign-in, and shows that the server is slow", async () => {
    const element = await ready({ "timeout-ms": "45000" });
    const { asked } = hold(servers, "POST /login");
    const clock = new Clock();
    const code = errorCode();
    signIn(element);
    await asked;
    expect(clock.pending).to.include(45_000);
    await clock.pass(45_000);

    expect(await code).to.equal("timeout");
    await until(() => part(element, "error"));
    expect(part(element, "error").textContent).to.contain("taking too long to respond");
  });

  const userId = (user: string) => ({ type: "m.id.user", user });
  const email = (address: string) => ({ type: "m.id.thirdparty", medium: "email", address });
  const phone = (number: string) => ({ type: "m.id.phone", country: "GB", phone: number });
  const identifiers = [
    ["a localpart", "alice", userId("alice")],
    ["a user ID", USER, userId(USER)],
    ["an email address", "alice@mail.example", email("alice@mail.example")],
    ["an international phone number", "+44 7700 900123", phone("+44 7700 900123")],
    ["a national phone number", "07700 900123", phone("07700 900123")],
    ["a phone number with a leading zero and without spaces", "07700900123", phone("07700900123")],
    ["a user ID without its @", "alice:hs.example", userId(USER)],
    ["a user ID with another @", "@alice@hs.example", userId(USER)],
    ["a user ID in capitals", "@alice:HS.Example", userId(USER)],
    ["a user ID in full width", "＠alice：hs.example", userId(USER)],
    ["a link to a user", "https://matrix.to/#/@alice:hs.example", userId(USER)],
    ["an encoded link", "matrix.to/#/%40alice%3Ahs.example", userId(USER)],
    ["a matrix: URI", "matrix:u/alice:hs.example?action=chat", userId(USER)],
    ["a localpart with an @", "@alice", userId("alice")],
    [
      "a copied email address, with marks around it",
      "\u2068alice@mail.example\u2069",
      email("alice@mail.example"),
    ],
    ["a localpart with what is not visible", "\u2068alice\u2069", userId("alice")],
  ] as const;
  for (const [what, typed, identifier] of identifiers) {
    it(`sends ${what} as the matching kind of identifier`, async () => {
      stub(navigator, "languages", { value: ["en-GB"] });
      const element = await ready();
      signIn(element, typed);
      await waitFor(() => ["success", "error"].includes(element.state));
      expect(bodies()[0]?.["identifier"]).to.deep.equal(identifier);
    });
  }

  for (const name of ["20250123", "0123", "+plus", "0700-box"]) {
    it(`sends ${name} as a username, because it isn't a phone number`, async () => {
      const element = await ready();
      await fail(element, name);
      expect(bodies()[0]?.["identifier"]).to.deep.equal({ type: "m.id.user", user: name });
    });
  }

  it("copies no form, and so none of the user's input, when a library clones the element", async () => {
    const element = await ready();
    field(element, "password").value = "typed";
    const copy = element.cloneNode(true) as Element;
    element.before(copy);
    expect(copy.querySelector("form")).to.be.null;
    copy.remove();
  });

  it("shows that the password is wrong, keeps the name, and lets the user try again", async () => {
    servers.refuse("POST /login", 403, { errcode: "M_FORBIDDEN" }, { times: 2 });
    const element = await ready();
    field(element, "password").focus();
    expect(await refusalOf(element)).to.equal("credentials_invalid");
    expect(part(element, "error").textContent).to.contain("Incorrect username or password.");
    expect(element.shadowRoot?.querySelector("[part=methods] [part=error]")).to.exist;
    await openForm(element, "register");
    expect(element.shadowRoot?.querySelector("[part=error]")).to.be.null;
    part(element, "back").click();
    await element.updateComplete;
    await fail(element);
    expect(field(element, "username").value).to.equal("alice");
    expect(field(element, "password").value).to.equal("");
    expect(document.activeElement?.getAttribute("name")).to.equal("password");
    expect(descriptionOf(field(element, "password"))).to.contain("Incorrect username");
    await succeed(element);
  });

  for (const [what, values, name, text] of [
    ["nothing", {}, "username", "Fill in this field."],
    ["only spaces for a name", { username: " ", password: "x" }, "username", "Fill in this field."],
    ["no password", { username: "alice" }, "password", "Fill in this field."],
  ] as const) {
    it(`shows an error at the ${name} and sends nothing, if the user has typed ${what}`, async () => {
      const element = await ready();
      const before = servers.requests.length;
      fill(element, values);
      part(element, "submit").click();
      await element.updateComplete;
      expect(document.activeElement).to.equal(field(element, name));
      expect(field(element, name).ariaInvalid).to.equal("true");
      expect(descriptionOf(field(element, name))).to.equal(text);
      expect([servers.requests.length, element.state]).to.deep.equal([before, "ready"]);
    });
  }

  it("hides a password that is shown before it is sent", async () => {
    const element = await ready();
    element.querySelector<HTMLElement>(".uia-password button")?.click();
    expect(field(element, "password").type).to.equal("text");
    signIn(element);
    expect(field(element, "password").type).to.equal("password");
    await inState(element, "success");
  });

  const refused = [
    ["M_USER_DEACTIVATED", 403, "user_deactivated", "deactivated"],
    ["M_USER_LOCKED", 401, "user_locked", "locked"],
    ["M_LIMIT_EXCEEDED", 429, "rate_limited", "Too many attempts"],
    ["M_UNKNOWN", 500, "server_error", "server"],
  ] as const;
  for (const [errcode, status, code, text] of refused) {
    it(`shows ${code} if the homeserver responds with ${status} ${errcode}`, async () => {
      servers.refuse("POST /login", status, { errcode }, ALWAYS);
      const element = await ready();
      expect(await refusalOf(element)).to.equal(code);
      expect(part(element, "error").textContent).to.contain(text);
    });
  }

  for (const [what, endpoint, act] of [
    ["a password", "POST /login", signIn],
    ["a look-up", "GET /login", (element: MatrixLoginElement) => void element.check()],
    [
      "a username",
      "GET /register/available",
      async (element: MatrixLoginElement) => {
        await openForm(element, "register");
        const password = "secret-password";
        fill(element, { username: "carol", password, repeat: password });
        part(element, "submit").click();
      },
    ],
  ] as const) {
    it(`counts down to the end of a rate limit of ${what}, and announces it once`, async () => {
      const element = await ready();
      servers.rateLimit(endpoint, { retryAfterMs: 60_000 });
      const clock = new Clock();
      await act(element);
      await inState(element, "error");
      const [said, shown] = part(element, "error").querySelectorAll("div");
      const first = "Too many attempts. Try again in 60 seconds.";
      expect(said?.textContent).to.equal(first);
      expect(shown?.getAttribute("aria-hidden")).to.equal("true");
      await clock.pass(2000);
      expect(shown?.textContent).to.include("in 58 seconds");
      expect(said?.textContent).to.equal(first);
    });
  }

  it("shows the message without a time once a rate limit is over", async () => {
    const element = await ready();
    servers.rateLimit("POST /login", { retryAfterMs: 400 });
    await fail(element);
    expect(part(element, "error").textContent).to.contain("in 1 second");
    await waitFor(() => part(element, "error").textContent?.includes("Wait a moment"));
    expect(part(element, "error").querySelector("div")).to.be.null;
  });

  it("starts the message about a rate limit on the right in Arabic", async () => {
    await import("matrix-auth-elements/locales/ar");
    const element = await ready({ lang: "ar", dir: "rtl" });
    servers.rateLimit("POST /login", { retryAfterMs: 60_000 });
    await fail(element);
    const { right } = part(element, "error").getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(part(element, "error").querySelector("[aria-hidden]") as Element);
    const ends = new Map<number, number>();
    // A number splits its line into several rectangles.
    for (const { top, right: end } of text.getClientRects()) {
      ends.set(top, Math.max(end, ends.get(top) ?? 0));
    }
    expect(ends.size).to.be.at.least(1);
    // The icon is before the text.
    for (const end of ends.values()) expect(right - end).to.be.within(0, 48);
  });

  it("shows user-id in a read-only field, labeled as a user ID", async () => {
    const element = await ready({ "user-id": USER });
    const name = field(element, "username");
    expect([name.value, name.readOnly]).to.deep.equal([USER, true]);
    expect(name.labels?.[0]?.textContent).to.equal("User ID");
    element.userId = undefined;
    await element.updateComplete;
    const [label] = field(element, "username").labels ?? [];
    expect(label?.textContent).to.equal("Username or email address");
  });

  const unusable = [
    ["has no device", { device_id: undefined }, "login_response_invalid"],
    ["has no user", { user_id: undefined }, "login_response_invalid"],
    ["is for another user than user-id", { user_id: "@eve:hs.example" }, "user_mismatch"],
    ["is for another device", { device_id: "OTHER" }, "login_response_invalid"],
  ] as const;
  for (const [what, tampered, code] of unusable) {
    it(`signs out immediately if the sign-in ${what}`, async () => {
      const { accessToken: access_token } = servers.signIn("alice", { deviceId: "DEVICE" });
      servers.override("POST /login", () =>
        Response.json({ user_id: USER, device_id: "DEVICE", access_token, ...tampered }),
      );
      const element = await ready({ "user-id": USER, "device-id": "DEVICE", persist: "local" });
      expect(await refusalOf(element)).to.equal(code);
      expect(deviceIds("alice")).to.deep.equal([]);
      expect(localStorage).to.have.length(0);
    });
  }

  it("signs out immediately if the session cannot be stored", async () => {
    const element = await ready({ persist: "local" });
    fillStorage(localStorage);
    expect(await refusalOf(element)).to.equal("storage_full");
    expect(bodies()).to.have.length(1);
    expect(deviceIds("alice")).to.deep.equal([]);
  });

  it("shows that it is signing in, keeps its size, and moves the focus to the success message", async () => {
    const late = hold(servers, "POST /login");
    const element = await ready();
    field(element, "password").focus();
    const height = part(element, "form").offsetHeight;
    signIn(element);
    await late.asked;
    await element.updateComplete;
    expect(part(element, "form").offsetHeight).to.equal(height);
    const status = element.shadowRoot?.querySelector("[role=status]");
    expect(status?.textContent).to.contain("Signing you in");
    late.release();
    await inState(element, "success");
    expect(status?.textContent).to.contain("signed in");
    expect(element.shadowRoot?.activeElement === status).to.be.true;
  });

  for (const typed of ["hs.example", "@alice:hs.example"]) {
    it(`forgets the user after the sign-out, if the homeserver was ${typed}`, async () => {
      const element = await makeAsking();
      typeHomeserver(element, typed);
      part(element, "continue").click();
      await inState(element, "ready");
      await succeed(element);
      await element.session?.signOut();
      await inState(element, "ready");
      expect(field(element, "username").value).to.equal("");
      part(element, "change").click();
      await element.updateComplete;
      expect(homeserverField(element).value).to.equal("hs.example");
    });
  }

  it("clears the password but keeps the name if the user types another homeserver", async () => {
    // The new servers pass other requests on to the page's first ones.
    await useTestServers({
      homeserver: "https://other.example",
      login: ["password"],
      fetch: servers.fetch,
    });
    const element = await ready();
    fill(element, { username: "alice", password: "secret-password" });
    part(element, "change").click();
    await element.updateComplete;
    typeHomeserver(element, "other.example");
    await inState(element, "ready");
    expect(element.homeserverUrl).to.equal("https://other.example");
    expect(field(element, "username").value).to.equal("alice");
    expect(field(element, "password").value).to.equal("");
    expect(part(element, "submit").textContent).to.contain("other.example");
  });

  it("offers the user's own homeserver, and keeps all input except the password", async () => {
    await useTestServers({
      homeserver: "https://other.example",
      login: ["password"],
      fetch: servers.fetch,
    });
    const element = await ready();
    fill(element, { username: "@bob:other.example", password: "secret-password" });
    part(element, "submit").click();
    await inState(element, "error");
    expect(element.error).to.have.property("code", "user_elsewhere");
    const offer = [...(element.shadowRoot?.querySelectorAll("button") ?? [])].find(
      ({ textContent }) => textContent.includes("other.example"),
    );
    offer?.focus();
    offer?.click();
    await inState(element, "ready");
    expect(element.homeserverUrl).to.equal("https://other.example");
    expect(field(element, "username").value).to.equal("@bob:other.example");
    expect(field(element, "password").value).to.equal("");
    expect(document.activeElement).to.equal(field(element, "password"));
    const sent = servers.requests.filter(({ body }) => body.includes("secret-password"));
    expect(sent).to.deep.equal([]);
  });

  it("undoes a sign-in that completes after cancel()", async () => {
    const late = hold(servers, "POST /login");
    const element = await ready();
    const events = recordEvents(document, "matrix-login-cancel", "matrix-login-success");
    signIn(element);
    await late.asked;
    element.cancel();
    expect(element.state).to.equal("ready");
    late.release();
    await waitFor(() => logOf(servers).at(-1)?.endsWith("/logout"), "nothing is signed out");
    await waitFor(() => deviceIds("alice")?.length === 0);
    expect(events).to.deep.equal(["matrix-login-cancel"]);
    expect(element.session).to.be.undefined;
  });

  for (const [what, attempt] of [
    [
      "is cancelled",
      async (element: MatrixLoginElement) => {
        const late = hold(servers, "POST /login");
        signIn(element);
        await late.asked;
        element.cancel();
        late.release();
      },
    ],
    [
      "cannot be stored",
      async (element: MatrixLoginElement) => {
        fillStorage(localStorage);
        await fail(element);
      },
    ],
  ] as const) {
    it(`keeps the device that the page named, and its keys, if the sign-in ${what}`, async () => {
      servers.signIn("alice", { deviceId: "LAPTOP" });
      const element = await ready({ "device-id": "LAPTOP", persist: "local" });
      await attempt(element);
      await waitFor(() => bodies().length > 0);
      await untilQuiet();
      expect(logOf(servers).filter((line) => line.endsWith("/logout"))).to.deep.equal([]);
      expect(deviceIds("alice")).to.deep.equal(["LAPTOP"]);
      expect(element.session).to.be.undefined;
    });
  }

  const LEAVING = ["matrix-login-start", "matrix-login-redirect"] as const;

  it("cancels an automatically started sign-in while its code is loading", async () => {
    const element = document.createElement("matrix-login");
    element.homeserver = HOMESERVER;
    element.homeserverLocked = true;
    const events = recordEvents(element, ...LEAVING, "matrix-login-cancel");
    document.body.append(element);
    const started = element.start("sso");
    await element.updateComplete;
    element.cancel();
    await started;
    await waitFor(() => events.length > 0, "nothing is cancelled");
    expect(element.state).to.equal("idle");
    expect(events).to.deep.equal(["matrix-login-cancel"]);
    part(element, "continue").click();
    await inState(element, "ready");
    element.remove();
  });

  for (const [what, change] of [
    ["cancel()", (element) => element.cancel()],
    ["reset()", (element) => element.reset()],
    ["its removal", (element) => element.remove()],
  ] as readonly (readonly [string, (element: MatrixLoginElement) => void])[]) {
    for (const when of ["before its code is loaded", "in the same task"]) {
      it(`starts nothing after ${what} ${when}`, async () => {
        const element = document.createElement("matrix-login");
        element.homeserver = HOMESERVER;
        document.body.append(element);
        if (when === "in the same task") await inState(element, "ready");
        const events = recordEvents(element, ...LEAVING);
        const started = element.start("sso");
        change(element);
        await started;
        expect(events).to.deep.equal([]);
        element.remove();
      });
    }
  }

  for (const type of ["matrix-login-start", "matrix-login-homeserver"] as const) {
    it(`starts nothing if a listener of ${type} cancels it`, async () => {
      const element = document.createElement("matrix-login");
      element.homeserver = HOMESERVER;
      element.addEventListener(type, () => element.cancel());
      const events = recordEvents(element, "matrix-login-redirect");
      document.body.append(element);
      await element.start("sso");
      expect(events).to.deep.equal([]);
      expect(element.state).to.equal("ready");
      element.remove();
    });
  }

  it("stays on the page if a listener of statechange cancels", async () => {
    const element = await ready();
    element.addEventListener("statechange", () => element.cancel(), { once: true });
    const events = recordEvents(element, "matrix-login-redirect", "matrix-login-cancel");
    element.addEventListener("matrix-login-redirect", (event) => event.preventDefault());
    await element.start("sso");
    expect(events).to.deep.equal(["matrix-login-cancel"]);
    expect(element.state).to.equal("ready");
  });

  it("stays on the page if a listener of matrix-login-redirect cancels", async () => {
    const body = encodeURIComponent("<matrix-login>");
    const frame = await loadFrame({ src: `/test/elements/support/page.html?body=${body}` });
    const page = frame.contentWindow as unknown as typeof globalThis & Window;
    page.fetch = window.fetch;
    const inFrame = page.document.querySelector("matrix-login");
    if (!inFrame) throw new Error("no element");
    await inFrame.check(HOMESERVER);
    inFrame.addEventListener("matrix-login-redirect", () => inFrame.cancel());
    const left = recordEvents(page, "beforeunload");
    await inFrame.start("sso");
    await untilQuiet();
    expect(inFrame.state).to.equal("ready");
    expect(left).to.deep.equal([]);
    frame.remove();
  });

  it("is ready again if it is removed while a popup is open", async () => {
    await useTestServers();
    stub(window, "open", { value: () => null });
    const element = await ready({ mode: "popup" });
    await element.start("oauth");
    await inState(element, "waiting");
    element.remove();
    await inState(element, "ready");
  });

  it("undoes a sign-in that is cancelled while the user's other session is being signed out", async () => {
    const options = { store: "localStorage" } as const;
    const other = new LegacySession(servers.signIn("alice"), options);
    await other.stored;
    const element = await ready({ persist: "local", accounts: "many" });
    const { asked, release } = hold(servers, "POST /logout");
    const events = recordEvents(document, "matrix-login-cancel", "matrix-login-success");
    signIn(element);
    await asked;
    element.cancel();
    release();
    await waitFor(() => deviceIds("alice")?.length === 0);
    expect(events).to.deep.equal(["matrix-login-cancel"]);
    expect(element.state).to.equal("ready");
    expect(await listSessions(options)).to.deep.equal([]);
  });

  for (const [what, template, expected] of [
    [
      "the app's name and the browser",
      html`<matrix-login homeserver=${HOMESERVER} client-name="My app"></matrix-login>`,
      /^My app: \w+ on \w+$/,
    ],
    [
      "the device-name",
      html`<matrix-login homeserver=${HOMESERVER} device-name="Lantern"></matrix-login>`,
      /^Lantern$/,
    ],
  ] as const) {
    it(`gives the new device a name: ${what}`, async () => {
      const element = await ready(template);
      await succeed(element);
      expect(servers.account("alice")?.devices[0]?.display_name).to.match(expected);
    });
  }

  const family = "👨‍👩‍👧‍👦";
  for (const [what, title] of [
    ["is too long", "A page title ".repeat(20)],
    ["has a long character at the limit", family.repeat(40)],
    ["is one endless character", `e${"\u0301".repeat(300)}`],
    ["has surrogate pairs", "𝒜".repeat(120)],
  ] as const) {
    it(`gives the new device a name of at most 100 characters if the title ${what}`, async () => {
      const before = document.title;
      document.title = title;
      const element = await ready();
      await succeed(element);
      document.title = before;
      const name = servers.account("alice")?.devices[0]?.display_name ?? "";
      expect([...name].length).to.be.at.most(100);
      expect(name).to.match(/\w+ on \w+$/);
      const graphemes = [...new Intl.Segmenter().segment(title)].map(({ segment }) => segment);
      const application = name.replace(/(…?: )?\w+ on \w+$/, "");
      if (application === location.host) return;
      expect(title.startsWith(application)).to.be.true;
      expect(
        [...new Intl.Segmenter().segment(application)].every(({ segment }) =>
          graphemes.includes(segment),
        ),
      ).to.be.true;
    });
  }

  for (const [what, happen] of [
    ["the homeserver is overloaded", () => servers.refuse("POST /login", 503, {}, ALWAYS)],
    ["the homeserver has an error", () => servers.refuse("POST /login", 500, {}, ALWAYS)],
    ["the homeserver limits the rate", () => servers.rateLimit("POST /login")],
    ["the user is offline", () => servers.override("POST /login", () => Response.error())],
  ] as const) {
    it(`keeps the password in its field if ${what}`, async () => {
      const element = await ready();
      happen();
      await fail(element);
      await waitFor(() => field(element, "password").value === "secret-password");
    });
  }

  const said = (element: MatrixLoginElement): string =>
    (part(element, "error").textContent ?? "").replace(/\s+/g, " ").trim();

  for (const [what, status, body, sentence] of [
    [
      "a wrong password",
      403,
      { errcode: "M_FORBIDDEN", error: "Invalid username or password" },
      "Incorrect username or password.",
    ],
    [
      "a locked account",
      401,
      { errcode: "M_USER_LOCKED", error: "Token is not active", soft_logout: true },
      "This account is locked. Contact the homeserver’s administrator.",
    ],
    [
      "a failure of the server, which may say when it is over",
      503,
      { errcode: "M_UNKNOWN", error: "Back at noon" },
      "Something went wrong on the server. Try again later. Back at noon",
    ],
    [
      "another rejection, with the homeserver's words",
      400,
      { errcode: "ORG.EXAMPLE.CLOSED", error: "Closed on Sundays" },
      "The homeserver rejected this request. Closed on Sundays",
    ],
  ] as const) {
    it(`shows the server's message only if it adds information: ${what}`, async () => {
      servers.refuse("POST /login", status, body, ALWAYS);
      const element = await ready();
      await fail(element);
      await element.updateComplete;
      expect(said(element)).to.equal(sentence);
    });
  }

  for (const [contact, href, text] of [
    ["mailto:admin@hs.example", "mailto:admin@hs.example", "admin@hs.example"],
    ["https://hs.example/contact", "https://hs.example/contact", "https://hs.example/contact"],
    ["javascript:alert(1)", undefined, undefined],
    ["mailto:\u202Enimda@hs.example", undefined, undefined],
    ["mailto:ad\u200Bmin@hs.example", undefined, undefined],
    ["mailto:a%0D%0ABcc%3Ab%40evil.example@hs.example", undefined, undefined],
    [["mailto:admin@hs.example"], undefined, undefined],
  ] as const) {
    it(`shows a contact if the homeserver is full: ${String(contact)}`, async () => {
      const error = "This server has exceeded its monthly active user limit";
      const errcode = "M_RESOURCE_LIMIT_EXCEEDED";
      servers.refuse("POST /login", 403, { errcode, error, admin_contact: contact });
      const element = await ready();
      await fail(element);
      await element.updateComplete;
      expect(said(element))
        .to.contain("This homeserver has reached its limit")
        .and.not.to.contain(error);
      const link = part(element, "error").querySelector("a");
      expect([link?.getAttribute("href"), link?.textContent]).to.deep.equal([href, text]);
    });
  }

  it("sends nothing, and keeps the password, if matrix-login-start is cancelled", async () => {
    const element = await ready();
    element.addEventListener("matrix-login-start", (event) => event.preventDefault());
    signIn(element);
    expect(field(element, "password").value).to.equal("secret-password");
    await element.updateComplete;
    expect(element.state).to.equal("ready");
    expect(bodies()).to.have.length(0);
  });

  it("signs the same user in again on the same device after a soft logout", async () => {
    const element = await ready({
      "user-id": USER,
      "device-id": "DEVICE",
      "device-name": "Lantern",
    });
    expect(field(element, "username").value).to.equal(USER);
    expect(field(element, "username").readOnly).to.be.true;
    await succeed(element);
    expect(bodies()[0]).to.deep.include({
      device_id: "DEVICE",
      initial_device_display_name: "Lantern",
    });
  });

  it('keeps one session for each account, even if a user signs in twice, with accounts="many"', async () => {
    const sessions = [];
    for (const user of ["alice", "bob", "alice"]) {
      const element = await ready({ persist: "local", accounts: "many" });
      await succeed(element, user);
      sessions.push(element.session);
      element.remove();
    }
    const stored = await listSessions({ store: "localStorage" });
    const devices = stored.map(({ userId, deviceId }) => [userId, deviceId]);
    expect(Object.fromEntries(devices)).to.deep.equal({
      [USER]: sessions[2]?.user.deviceId,
      "@bob:hs.example": sessions[1]?.user.deviceId,
    });
    expect(stored).to.have.length(2);
    expect(deviceIds("alice")).to.deep.equal([sessions[2]?.user.deviceId]);
    for (const session of sessions) session?.close();
  });

  it('keeps a stored session if the page then removes the element, with accounts="many"', async () => {
    const options = { store: "localStorage" } as const;
    const login = html`<matrix-login
      homeserver=${HOMESERVER}
      persist="local"
      accounts="many"
    ></matrix-login>`;
    const first = await ready(login);
    await succeed(first);
    first.remove();
    const element = await ready(login);
    servers.override("/logout", () => void element.remove());
    await succeed(element);
    await untilQuiet();
    const deviceId = element.session?.user.deviceId;
    expect(element.isConnected).to.be.false;
    expect((await listSessions(options)).map((each) => each.deviceId)).to.deep.equal([deviceId]);
    for (const { session } of [first, element]) session?.close();
  });

  it("ends the old session of a page that signs in again, with one account", async () => {
    const options = { store: "localStorage" } as const;
    const first = new LegacySession(servers.signIn("alice", { deviceId: "OLD" }), options);
    await first.stored;
    const element = await ready({ persist: "local" });
    await succeed(element);
    expect(await listSessions(options)).to.have.length(1);
    expect(element.session?.user.deviceId).not.to.equal("OLD");
    first.close();
    element.session?.close();
  });

  it("hides the methods that the page excludes, and accepts neither clicks nor input while disabled", async () => {
    const element = await ready({
      "homeserver-locked": "",
      "no-registration": "",
      "no-reset": "",
      disabled: "",
    });
    const root = element.shadowRoot;
    expect(part(element, "server-name").textContent).to.equal("hs.example");
    for (const absent of ["homeserver", "register", "forgot"]) {
      expect(root?.querySelector(`[part=${absent}]`), absent).to.be.null;
    }
    for (const button of root?.querySelectorAll("button") ?? []) {
      expect(button.matches(":disabled")).to.be.true;
    }
    const fields = (): readonly boolean[] =>
      [...element.querySelectorAll("input")].map(({ disabled }) => disabled);
    expect(new Set(fields())).to.deep.equal(new Set([true]));
    signIn(element);
    expect(bodies()).to.have.length(0);
    element.disabled = false;
    await element.updateComplete;
    expect(new Set(fields())).to.deep.equal(new Set([false]));
  });

  it("is disabled with a fieldset around it, except in the fieldset's legend", async () => {
    const fieldset = await fixture<HTMLFieldSetElement>(html`
      <fieldset disabled>
        <legend><matrix-login homeserver=${HOMESERVER}></matrix-login></legend>
        <matrix-login homeserver=${HOMESERVER} disabled="false"></matrix-login>
      </fieldset>
    `);
    const [inLegend, element] = fieldset.querySelectorAll("matrix-login");
    if (!inLegend || !element) throw new Error("no elements");
    const controls = (of: MatrixLoginElement): readonly Element[] => [
      ...of.querySelectorAll("input"),
      ...(of.shadowRoot?.querySelectorAll("button") ?? []),
    ];
    const areDisabled = (of: MatrixLoginElement): boolean[] => [
      ...new Set(controls(of).map((each) => each.matches(":disabled"))),
    ];
    for (const each of [inLegend, element]) await inState(each, "ready");
    expect(areDisabled(element)).to.deep.equal([true]);
    expect(areDisabled(inLegend)).to.deep.equal([false]);
    signIn(element);
    expect(bodies()).to.have.length(0);
    fieldset.disabled = false;
    await element.updateComplete;
    expect(areDisabled(element)).to.deep.equal([false]);
    fieldset.disabled = true;
    await element.updateComplete;
    expect(areDisabled(element)).to.deep.equal([true]);
  });

  it("is empty before a homeserver is set", async () => {
    const element = await make({ homeserver: undefined, suggestions: "a.example b.example" });
    await waitFor(() => element.shadowRoot?.querySelector("#homeserver"));
    expect(element.state).to.equal("idle");
    const options = element.shadowRoot?.querySelectorAll("datalist option") ?? [];
    expect([...options].map((each) => each.getAttribute("value"))).to.deep.equal([
      "a.example",
      "b.example",
    ]);
    expect(servers.requests).to.deep.equal([]);
  });
});
