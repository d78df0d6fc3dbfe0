import { expect } from "@open-wc/testing";
import type { MatrixLoginElement, UiaDialogElement } from "matrix-auth-elements";
import type { TestRequest, TestServers } from "matrix-auth-elements/testing";
import { moveClock, restoreStubs, stub } from "../../support/stub.js";
import { descriptionOf, inState, nextEvent, part } from "../support/element.js";
import { bodiesTo, hold, useTestServers } from "../support/test-servers.js";
import { untilQuiet, waitFor } from "../support/wait-for.js";
import { field, fill, openForm, ready } from "./fixture.js";

describe("<matrix-login> without an account, or without its password", () => {
  let servers: TestServers;
  let element: MatrixLoginElement;

  beforeEach(async () => {
    servers = await useTestServers({
      login: ["password"],
      accounts: { bob: { password: "secret-old", emails: ["bob@mail.example"] } },
    });
    element = await ready({ "device-name": "Lantern" });
  });
  afterEach(restoreStubs);

  const open = (link: "register" | "forgot"): Promise<void> => openForm(element, link);
  const submit = (values: Readonly<Record<string, string>>): void => {
    fill(element, values);
    part(element, "submit").click();
  };
  const passwords = (password: string, repeat = password): Record<string, string> => ({
    password,
    repeat,
  });
  /** Sends the registration of an account. */
  const register = async (): Promise<void> => {
    await open("register");
    submit({ username: "alice", ...passwords("secret-password") });
  };
  /** Sends it to a homeserver that asks for this stage. @returns The dialog. */
  const registerWith = async (stage: string): Promise<UiaDialogElement> => {
    servers.uia.registrationFlows = [[stage]];
    await register();
    const dialog = (): UiaDialogElement | null | undefined =>
      element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]");
    return (await waitFor(dialog)) as UiaDialogElement;
  };
  /** Fills in a field of the dialog, once it is there. */
  const fillIn = async (dialog: UiaDialogElement, name: string, value = ""): Promise<void> => {
    const found = await waitFor(() => dialog.querySelector<HTMLInputElement>(`[name=${name}]`));
    if (found) found.value = value;
  };
  const isRegistered = (): boolean => servers.account("alice") !== undefined;
  const describing = (name: string): string => descriptionOf(field(element, name));

  it("registers, through the dialog, and keeps the session", async () => {
    await open("register");
    expect(document.activeElement).to.equal(field(element, "username"));
    const success = nextEvent(document, "matrix-login-success");
    submit({ username: "alice", ...passwords("secret-password") });
    const { detail } = await success;
    expect(detail).to.include({ method: "registration", userId: "@alice:hs.example" });
    expect(servers.account("alice")).to.have.nested.property("devices[0].display_name", "Lantern");
    expect(bodiesTo(servers, "POST /register")[1]).to.include({ refresh_token: true });
  });

  const disablers = [
    ["the element", () => (element.disabled = true)],
    [
      "a fieldset around it",
      () => {
        const fieldset = document.createElement("fieldset");
        element.before(fieldset);
        fieldset.append(element);
        fieldset.disabled = true;
      },
    ],
  ] as const;
  for (const [what, disable] of disablers) {
    it(`sends nothing, and opens no form, while ${what} is disabled`, async () => {
      await open("register");
      disable();
      await element.updateComplete;
      submit({ username: "alice", ...passwords("secret-password") });
      element.querySelector("form")?.requestSubmit();
      expect(element.state).to.equal("ready");
      const buttons = [...(element.shadowRoot?.querySelectorAll("button") ?? [])];
      expect(buttons.map((each) => each.matches(":disabled"))).not.to.include(false);
      element.reset();
      await inState(element, "ready");
      await element.start("reset");
      expect(element.view).to.equal("sign-in");
      expect(bodiesTo(servers, "POST /register")).to.have.length(0);
    });
  }

  const refused = [
    ["is taken", "bob", undefined, "already taken"],
    ["is reserved", "alice", "M_EXCLUSIVE", "already taken"],
    ["is not allowed", "Alice", undefined, "doesn’t allow"],
  ] as const;
  for (const [what, username, errcode, text] of refused) {
    it(`shows an error at the field, before any request, if the username ${what}`, async () => {
      if (errcode) servers.refuse("/register/available", 400, { errcode });
      await open("register");
      submit({ username, ...passwords("secret-password") });
      await waitFor(() => field(element, "username").getAttribute("aria-invalid") === "true");
      expect(describing("username")).to.contain(text);
      expect(field(element, "password").value).to.equal("secret-password");
      expect(bodiesTo(servers, "POST /register")).to.have.length(0);
    });
  }

  for (const username of ["@alice", "\u2068alice\u2069", " alice "]) {
    it(`shows Alice's user ID, and then registers her, if the username is ${JSON.stringify(username)}`, async () => {
      await open("register");
      fill(element, { username });
      await waitFor(() => element.textContent.includes("Your user ID will be @alice:hs.example."));
      const success = nextEvent(document, "matrix-login-success");
      submit(passwords("secret-password"));
      await waitFor(() => element.state !== "authenticating");
      expect(element.error).to.equal(undefined);
      expect((await success).detail.userId).to.equal("@alice:hs.example");
    });
  }

  for (const username of ["@alice:hs.example", "alice:hs.example", "Alice", "a b", "älice"]) {
    it(`shows no user ID that the username can't result in: ${username}`, async () => {
      await open("register");
      fill(element, { username: "alice" });
      await waitFor(() => element.textContent.includes("Your user ID will be"));
      fill(element, { username });
      await element.updateComplete;
      expect(element.textContent).to.not.contain("Your user ID will be");
    });
  }

  for (const [status, body] of [
    [400, { errcode: "M_UNRECOGNIZED" }],
    [404, {}],
    [405, { errcode: "M_UNKNOWN" }],
  ] as const) {
    it(`registers if the homeserver responds with ${status} to the check of the username`, async () => {
      servers.refuse("/register/available", status, body);
      await register();
      await inState(element, "success");
    });
  }

  for (const [how, cancel] of [
    ["is cancelled", () => element.cancel()],
    ["is closed with the button", () => part(element, "back").click()],
  ] as const) {
    it(`registers no account if the form ${how} while the username is being checked`, async () => {
      const { asked, release } = hold(servers, "/register/available");
      await register();
      await asked;
      const check = servers.requests.at(-1);
      const cancelled = nextEvent(document, "matrix-login-cancel");
      cancel();
      release();
      expect((await cancelled).detail).to.include({ method: "registration", reason: "cancelled" });
      expect(element.state).to.equal("ready");
      expect(check?.signal.aborted).to.be.true;

      if (!element.querySelector("[name=repeat]")) await open("register");
      submit({ username: "alice", ...passwords("secret-password") });
      await inState(element, "success");
      expect(bodiesTo(servers, "POST /register")).to.have.length(2);
    });
  }

  it("closes the dialog, and registers no account, if it is cancelled", async () => {
    const dialog = await registerWith("m.login.registration_token");
    element.cancel();
    await waitFor(() => !dialog.open);
    expect(element.state).to.equal("ready");
    expect(isRegistered()).to.be.false;
  });

  it("counts the token's lifetime from the last request, even if the dialog was open for long", async () => {
    const dialog = await registerWith("m.login.registration_token");
    await fillIn(dialog, "token", "registration-token");
    moveClock(600_000);
    part(dialog, "submit").click();
    await inState(element, "success");
    expect(Number(element.session?.expiresAt) * 1000).to.be.greaterThan(Date.now());
  });

  it("immediately signs out an unwanted device from a registration", async () => {
    const { userId: user_id, accessToken: access_token } = servers.signIn("bob");
    servers.override("POST /register", () => Response.json({ user_id, access_token }));
    await register();
    await inState(element, "error");
    expect(element.error).to.have.property("code", "login_response_invalid");
    expect(servers.account("bob")?.devices).to.deep.equal([]);
  });

  for (const [what, stage, complete] of [
    [
      "an email address",
      "m.login.email.identity",
      async (dialog: UiaDialogElement) => {
        await fillIn(dialog, "email", "alice@mail.example");
        part(dialog, "submit").click();
        const message = await waitFor(() => servers.messages[0]);
        servers.approve(message?.link ?? "");
        await dialog.poll();
      },
    ],
    [
      "a phone number",
      "m.login.msisdn",
      async (dialog: UiaDialogElement) => {
        await fillIn(dialog, "country", "GB");
        await fillIn(dialog, "phone", "07700 900123");
        part(dialog, "submit").click();
        const message = await waitFor(() => servers.messages[0]);
        await fillIn(dialog, "code", message?.code);
        part(dialog, "submit").click();
      },
    ],
    [
      "a captcha, on the homeserver's page",
      "m.login.recaptcha",
      async (dialog: UiaDialogElement) => {
        const opened: string[] = [];
        stub(window, "open", { value: (url: string) => (opened.push(url), null) });
        const frame = await waitFor(() => dialog.shadowRoot?.querySelector("uia-fallback-frame"));
        const inFrame = (name: string): HTMLElement | null | undefined =>
          frame?.shadowRoot?.querySelector<HTMLElement>(`[part=${name}]`);
        (await waitFor(() => inFrame("open")))?.click();
        servers.approve(opened[0] ?? "");
        (await waitFor(() => inFrame("finished")))?.click();
      },
    ],
  ] as const) {
    it(`registers if the homeserver requires ${what}`, async () => {
      const dialog = await registerWith(stage);
      expect(isRegistered()).to.be.false;
      await complete(dialog);
      await inState(element, "success");
      expect(isRegistered()).to.be.true;
    });
  }

  it("shows that the passwords differ, and sends nothing", async () => {
    await open("register");
    const before = servers.requests.length;
    submit({ username: "alice", ...passwords("secret-password", "another") });
    await waitFor(() => field(element, "repeat").getAttribute("aria-invalid") === "true");
    expect(document.activeElement).to.equal(field(element, "repeat"));
    expect(servers.requests).to.have.length(before);
  });

  for (const [which, values, name, text] of [
    ["register", { username: "alice", password: "x" }, "repeat", "Fill in this field."],
    ["forgot", { email: "alice", ...passwords("x") }, "email", "Enter a valid email address."],
  ] as const) {
    it(`shows an error at the field ${name}, and sends nothing, if it is empty`, async () => {
      await open(which);
      const before = servers.requests.length;
      submit(values);
      await element.updateComplete;
      expect(document.activeElement).to.equal(field(element, name));
      expect(describing(name)).to.equal(text);
      expect(servers.requests).to.have.length(before);
    });
  }

  for (const lang of ["en", "C"]) {
    it(`shows the resulting user ID and the homeserver's password rules, if the page's language is ${lang}`, async () => {
      element.lang = lang;
      servers.override("GET /password_policy", () =>
        Response.json({
          "m.minimum_length": 12,
          "m.require_digit": true,
          "m.require_symbol": false,
          "m.require_uppercase": "yes",
        }),
      );
      await open("register");
      fill(element, { username: "alice" });
      await waitFor(() => describing("username") === "Your user ID will be @alice:hs.example.");
      await waitFor(() => describing("password"));
      expect(describing("password")).to.match(/^At least 12 characters,? at least one digit$/);
      expect(part(element, "back").textContent?.trim()).to.equal(
        "Already have an account? Sign in",
      );
    });
  }

  it("shows why a homeserver allows no registration, and returns to the sign-in form", async () => {
    servers.refuse("POST /register", 403, { errcode: "M_FORBIDDEN" });
    await open("register");
    const error = nextEvent(document, "matrix-login-error");
    submit({ username: "alice", ...passwords("secret-password") });
    expect((await error).detail).to.include({ method: "registration", code: "M_FORBIDDEN" });
    await element.updateComplete;
    expect(part(element, "error").textContent).to.contain("rejected this request");
    part(element, "back").click();
    await element.updateComplete;
    expect(element.shadowRoot?.activeElement).to.equal(part(element, "register"));
    expect(element.querySelector("[name=repeat]")).to.be.null;
    expect(element.error).to.be.undefined;
  });

  const atTheEnd = [
    ["M_USER_IN_USE", "username", "already taken"],
    ["M_INVALID_USERNAME", "username", "doesn’t allow this username"],
    ["M_WEAK_PASSWORD", "password", "Choose another password"],
    ["M_PASSWORD_TOO_SHORT", "password", "Choose another password"],
    ["M_PASSWORD_NO_DIGIT", "password", "Choose another password"],
  ] as const;
  for (const [errcode, name, text] of atTheEnd) {
    it(`returns to the ${name}, with the homeserver's message if it adds something, and keeps correct input, after ${errcode}`, async () => {
      servers.refuse("POST /register", 400, { errcode, error: "<b>Own</b> words" });
      await register();
      await waitFor(() => field(element, name).getAttribute("aria-invalid") === "true");
      const said = describing(name);
      expect(said).to.contain(text);
      expect(said?.includes("<b>Own</b> words")).to.equal(errcode !== "M_USER_IN_USE");
      expect(document.activeElement).to.equal(field(element, name));
      expect(element.state).to.equal("ready");
      const values = ["username", "password", "repeat"].map((each) => field(element, each).value);
      const password = name === "password" ? "" : "secret-password";
      expect(values).to.deep.equal(["alice", password, password]);
      submit({ username: "alice", ...passwords("secret-password") });
      await inState(element, "success");
    });
  }

  const lost = [
    ["no response", () => Response.error()],
    ["a gateway's page", () => new Response("<title>Timeout</title>", { status: 504 })],
  ] as const;
  for (const [what, respond] of lost) {
    /** Registers Alice, or another user of her name, but the response to the last request is lost. */
    const registerInVain = async (ownPassword = "secret-password"): Promise<void> => {
      const lose = async ({ url, method, body }: TestRequest): Promise<Response | undefined> => {
        if (!body.includes("m.login.dummy")) return undefined;
        await servers.fetch(url, { method, body: body.replace("secret-password", ownPassword) });
        return respond();
      };
      servers.override("POST /register", lose, { times: 2 });
      await register();
      await inState(element, "error");
      submit({});
    };

    it(`signs in to the account that exists after ${what} to its registration`, async () => {
      await registerInVain();
      await inState(element, "success");
      expect(element.session?.user.userId).to.equal("@alice:hs.example");
      const [login] = bodiesTo(servers, "POST /login");
      expect(login).to.include({ initial_device_display_name: "Lantern", refresh_token: true });
    });

    it(`shows that the username is taken if it is another user's after ${what}`, async () => {
      await registerInVain("another password");
      await waitFor(() => field(element, "username").getAttribute("aria-invalid") === "true");
      expect(describing("username")).to.contain("already taken");
      expect(bodiesTo(servers, "POST /login")).to.have.length(1);
    });
  }

  for (const [what, errcode, error] of [
    ["registration is disabled", "M_FORBIDDEN", "Registration has been disabled"],
    ["there are too many accounts", "ORG.EXAMPLE.LIMIT", "No more accounts"],
    ["its code is the library's for a declined sign-in", "access_denied", "Not today"],
    ["its code is the library's for a cancellation", "cancelled", "Not today"],
  ] as const) {
    it(`shows the homeserver's message if ${what}`, async () => {
      servers.refuse("/register/available", 403, { errcode, error });
      await register();
      await inState(element, "error");
      expect(part(element, "error").textContent).to.contain(error);
      expect(field(element, "password").value).to.equal("secret-password");
    });
  }

  it("shows the homeserver's message if it rejects the stage without input", async () => {
    const flows = [{ stages: ["m.login.dummy"] }];
    const refusal = { errcode: "M_FORBIDDEN", error: "Closed on Sundays", flows };
    servers.refuse("POST /register", 401, refusal, { times: 2 });
    await register();
    await inState(element, "error");
    expect(part(element, "error").textContent).to.contain("Closed on Sundays");
  });

  for (const errcode of ["ORG.MATRIX.MSC3866_USER_AWAITING_APPROVAL", "M_USER_AWAITING_APPROVAL"]) {
    it(`shows that the account must be approved, and returns to the sign-in form, after ${errcode}`, async () => {
      servers.refuse("POST /register", 403, { errcode, error: "Awaits approval" });
      await register();
      await waitFor(() => element.shadowRoot?.textContent?.includes("must approve this account"));
      expect(part(element, "notice").textContent).to.contain("Awaits approval");
      expect(element.querySelector("[name=repeat]")).to.be.null;
      expect(element.state).to.equal("ready");
    });
  }

  it("requests no second email if the homeserver rejects the new password after the first email", async () => {
    await open("forgot");
    submit({ email: "bob@mail.example", ...passwords("secret-weak") });
    await inState(element, "authenticating");
    const dialog = element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog");
    // Before this, a poll does not include the address's credentials.
    await waitFor(() => dialog?.session?.status.emailSid);
    servers.approve(servers.messages[0]?.link ?? "");
    servers.refuse("POST /account/password", 400, { errcode: "M_WEAK_PASSWORD", error: "Short" });
    await dialog?.poll();
    await waitFor(() => field(element, "password").getAttribute("aria-invalid") === "true");
    expect(field(element, "email").value).to.equal("bob@mail.example");
    submit({ email: "bob@mail.example", ...passwords("secret-new") });
    await waitFor(async () => {
      await dialog?.poll();
      return servers.account("bob")?.password === "secret-new";
    });
    expect(servers.messages).to.have.length(1);
  });

  it("resets a password through an email, after a warning, and then signs in", async () => {
    await open("forgot");
    expect(element.shadowRoot?.textContent).to.contain("other devices will be signed out");
    submit({ email: "bob@mail.example", ...passwords("secret-new") });
    await inState(element, "authenticating");
    const message = await waitFor(() => servers.messages[0]);
    servers.approve(message?.link ?? "");
    const dialog = element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog");
    await dialog?.poll();
    await inState(element, "ready");
    await waitFor(() => element.shadowRoot?.textContent?.includes("has been changed"));
    expect(servers.account("bob")?.password).to.equal("secret-new");
    expect(bodiesTo(servers, "POST /account/password").at(-1)).to.include({ logout_devices: true });
    expect(field(element, "username")).not.to.be.null;
  });

  it("fires matrix-login-cancel if the user dismisses the dialog", async () => {
    const dialog = await registerWith("m.login.registration_token");
    const cancel = nextEvent(document, "matrix-login-cancel");
    dialog.cancel();
    expect((await cancel).detail).to.include({ method: "registration" });
    expect(element.state).to.equal("ready");
    expect(field(element, "username").value).to.equal("alice");
  });

  const atProvider = async (): Promise<void> => {
    servers = await useTestServers();
    await element.check();
    expect(element.flows?.password).to.be.false;
  };

  it("closes the form if another homeserver has no passwords", async () => {
    await open("register");
    await atProvider();
    await element.updateComplete;
    expect(element.shadowRoot?.querySelector("[part=back]")).to.be.null;
    expect(part(element, "heading").textContent).to.equal("Sign in");
    expect(element.shadowRoot?.querySelector("oidc-login")).not.to.be.null;
  });

  it("lets the provider create accounts if the homeserver has no passwords", async () => {
    await atProvider();
    const redirect = nextEvent(document, "matrix-login-redirect");
    const stay = (event: Event): void => event.preventDefault();
    document.addEventListener("matrix-login-redirect", stay, { once: true });
    await element.start("registration");
    const { detail } = await redirect;
    expect(new URL(detail.url).searchParams.get("prompt")).to.equal("create");
  });

  for (const methods of ["password", "oauth sso password", "password oauth"]) {
    it(`shows no form for a homeserver whose provider creates the accounts, with methods="${methods}"`, async () => {
      servers = await useTestServers({ login: ["oauth", "sso", "password"] });
      element.methods = methods;
      await element.check();
      const register = element.shadowRoot?.querySelectorAll("oidc-login.link, [part=register]");
      expect([...(register ?? [])].map(({ textContent }) => textContent)).to.deep.equal([
        "Create account",
      ]);
      expect(element.shadowRoot?.querySelector("[part=forgot], [part=register]")).to.be.null;
      const error = nextEvent(document, "matrix-login-error");
      await element.start("reset");
      expect((await error).detail).to.include({ method: "reset", code: "login_not_supported" });
    });

    it(`offers no new account if the provider doesn't create any, with methods="${methods}"`, async () => {
      servers = await useTestServers({
        login: ["oauth", "sso", "password"],
        metadata: { prompt_values_supported: ["login"] },
      });
      element.methods = methods;
      element.prompt = "create";
      await element.check();
      expect(element.shadowRoot?.querySelector("[part=forgot], [part=register]")).to.be.null;
      const error = nextEvent(document, "matrix-login-error");
      element.prompt = undefined;
      await element.start("registration");
      expect((await error).detail).to.include({ code: "login_not_supported" });
    });
  }

  for (const [method, where, arrange] of [
    ["registration", "the provider creates no accounts", atProvider],
    ["reset", "the homeserver has no passwords", atProvider],
    ["oauth", "the homeserver has no provider", () => undefined],
    ["sso", "the homeserver has no single sign-on", () => undefined],
  ] as const) {
    it(`reports that start("${method}") is not supported if ${where}`, async () => {
      await arrange();
      element.noRegistration = true;
      const error = nextEvent(document, "matrix-login-error");
      await element.start(method);
      expect((await error).detail).to.include({ method, code: "login_not_supported" });
      await element.updateComplete;
      expect(element.shadowRoot?.querySelector("[part=back]")).to.be.null;
    });
  }

  for (const [what, act] of [
    ["the user continues to type", () => fill(element, { username: "alice" })],
    ["the page calls cancel()", () => element.cancel()],
  ] as const) {
    it(`doesn't show a form that was still loading when ${what}`, async () => {
      part(element, "register").click();
      act();
      await untilQuiet();
      expect(part(element, "register").ariaBusy).to.be.null;
      expect(element.shadowRoot?.querySelector("[part=back]")).to.be.null;
    });
  }
});
