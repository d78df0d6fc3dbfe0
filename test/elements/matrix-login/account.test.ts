import { expect, html } from "@open-wc/testing";
import type { MatrixLoginElement, UiaDialogElement } from "matrix-auth-elements";
import { inSequence, json, type ScriptedFetch } from "../../support/scripted-fetch.js";
import { restoreStubs } from "../../support/stub.js";
import { inState, nextEvent, part } from "../support/element.js";
import { HOMESERVER } from "../support/servers.js";
import { waitFor } from "../support/wait-for.js";
import {
  LOGOUT,
  PASSWORD,
  REGISTER,
  SIGNED_IN,
  available,
  field,
  fill,
  ready,
  scriptLegacyServer,
} from "./fixture.js";

const CHALLENGE = json({ session: "s", flows: [{ stages: ["m.login.dummy"] }], params: {} }, 401);
const EMAIL_TOKEN = `POST ${HOMESERVER}/_matrix/client/v3/account/password/email/requestToken`;

describe("<matrix-login> without an account, or without its password", () => {
  let servers: ScriptedFetch;
  let element: MatrixLoginElement;

  beforeEach(async () => {
    servers = scriptLegacyServer();
    servers.routes[available("alice")] = json({ available: true });
    servers.routes[REGISTER] = inSequence(CHALLENGE, json(SIGNED_IN));
    element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} device-name="Lantern"></matrix-login>`,
    );
  });
  afterEach(restoreStubs);

  const open = async (which: "register" | "forgot"): Promise<void> => {
    part(element, which).click();
    await element.updateComplete;
  };
  const submit = (values: Readonly<Record<string, string>>): void => {
    fill(element, values);
    part(element, "submit").click();
  };
  const passwords = (password: string, repeat = password): Record<string, string> => ({
    password,
    repeat,
  });
  const bodies = (route: string): readonly Record<string, unknown>[] =>
    servers
      .to(route.replace("POST ", ""))
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it("registers, through the dialog, and keeps the session", async () => {
    await open("register");
    expect(document.activeElement).to.equal(field(element, "username"));
    const success = nextEvent(document, "matrix-login-success");
    submit({ username: "alice", ...passwords("secret-password") });
    const { detail } = await success;
    expect(detail).to.include({ method: "registration", userId: SIGNED_IN.user_id });
    expect(bodies(REGISTER)[1]).to.deep.include({
      username: "alice",
      initial_device_display_name: "Lantern",
      refresh_token: true,
      auth: { type: "m.login.dummy", session: "s" },
    });
  });

  const refused = [
    ["is taken", json({ errcode: "M_USER_IN_USE" }, 400), "already taken"],
    ["is reserved", json({ errcode: "M_EXCLUSIVE" }, 400), "already taken"],
    ["is not allowed", json({ errcode: "M_INVALID_USERNAME" }, 400), "isn’t allowed"],
  ] as const;
  for (const [what, respond, text] of refused) {
    it(`says so at the field, before anything is sent, where the username ${what}`, async () => {
      servers.routes[available("alice")] = respond;
      await open("register");
      submit({ username: "alice", ...passwords("secret-password") });
      await waitFor(() => field(element, "username").getAttribute("aria-invalid") === "true");
      const describing = field(element, "username").getAttribute("aria-describedby") ?? "";
      expect(document.getElementById(describing)?.textContent).to.contain(text);
      expect(field(element, "password").value).to.equal("secret-password");
      expect(servers.log).not.to.include(REGISTER);
    });
  }

  it("registers where the homeserver cannot say whether a username is free", async () => {
    servers.routes[available("alice")] = json({ errcode: "M_UNRECOGNIZED" }, 404);
    await open("register");
    submit({ username: "alice", ...passwords("secret-password") });
    await inState(element, "success");
  });

  it("signs out at once what a registration without a device has signed in", async () => {
    servers.routes[REGISTER] = inSequence(CHALLENGE, json({ ...SIGNED_IN, device_id: undefined }));
    await open("register");
    submit({ username: "alice", ...passwords("secret-password") });
    await inState(element, "error");
    expect(element.error).to.have.property("code", "login_response_invalid");
    const [logout] = servers.to(LOGOUT.replace("POST ", ""));
    expect(logout?.headers.get("Authorization")).to.equal("Bearer secret-access");
  });

  it("says that the passwords differ, and sends nothing", async () => {
    await open("register");
    const before = servers.log.length;
    submit({ username: "alice", ...passwords("secret-password", "another") });
    await waitFor(() => field(element, "repeat").getAttribute("aria-invalid") === "true");
    expect(document.activeElement).to.equal(field(element, "repeat"));
    expect(servers.log).to.have.length(before);
  });

  for (const [which, values, name, text] of [
    ["register", { username: "alice", password: "x" }, "repeat", "Enter your password."],
    ["forgot", { email: "alice", ...passwords("x") }, "email", "Enter a valid email address."],
  ] as const) {
    it(`says so at the field ${name}, and sends nothing, where it is not filled in`, async () => {
      await open(which);
      const before = servers.log.length;
      submit(values);
      await element.updateComplete;
      expect(document.activeElement).to.equal(field(element, name));
      const describing = field(element, name).getAttribute("aria-describedby") ?? "";
      expect(document.getElementById(describing)?.textContent).to.equal(text);
      expect(servers.log).to.have.length(before);
    });
  }

  it("shows why a homeserver registers nobody, and goes back to signing in", async () => {
    servers.routes[REGISTER] = json({ errcode: "M_FORBIDDEN" }, 403);
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

  it("resets a password by mail, with its warning, and then signs in", async () => {
    servers.routes[EMAIL_TOKEN] = json({ sid: "sid" });
    const emailChallenge = json(
      { session: "s", flows: [{ stages: ["m.login.email.identity"] }], params: {} },
      401,
    );
    let clicked = false;
    servers.routes[PASSWORD] = (request) => (clicked ? json({}) : emailChallenge)(request);
    await open("forgot");
    expect(element.shadowRoot?.textContent).to.contain("other devices will be signed out");
    submit({ email: "alice@mail.example", ...passwords("secret-new") });
    await inState(element, "authenticating");
    await waitFor(() => bodies(EMAIL_TOKEN)[0]?.["email"] === "alice@mail.example");
    clicked = true;
    const dialog = element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog");
    await dialog?.poll();
    await inState(element, "ready");
    await waitFor(() => element.shadowRoot?.textContent?.includes("has been changed"));
    expect(bodies(PASSWORD).at(-1)).to.deep.include({
      new_password: "secret-new",
      logout_devices: true,
    });
    expect(field(element, "username")).not.to.be.null;
  });

  it("asks for terms in a dialog with the form's heading and checkboxes of the usual size", async () => {
    const policies = { terms: { version: "1", en: { name: "Terms", url: `${HOMESERVER}/terms` } } };
    servers.routes[REGISTER] = json(
      {
        session: "s",
        flows: [{ stages: ["m.login.terms"] }],
        params: { "m.login.terms": { policies } },
      },
      401,
    );
    await open("register");
    submit({ username: "alice", ...passwords("secret-password") });
    const dialog = element.shadowRoot?.querySelector("uia-dialog");
    const box = await waitFor(() => dialog?.querySelector<HTMLElement>("[type=checkbox]"));
    expect(box?.offsetHeight).to.equal(box?.offsetWidth);
    expect(dialog?.shadowRoot?.querySelector("h2")?.textContent?.trim()).to.equal("Create account");
    dialog?.cancel();
    await inState(element, "ready");
  });

  it("fires matrix-login-cancel where the user dismisses the dialog", async () => {
    servers.routes[REGISTER] = json(
      { session: "s", flows: [{ stages: ["m.login.registration_token"] }], params: {} },
      401,
    );
    await open("register");
    submit({ username: "alice", ...passwords("secret-password") });
    const dialog = await waitFor(() =>
      element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]"),
    );
    const cancel = nextEvent(document, "matrix-login-cancel");
    dialog?.cancel();
    expect((await cancel).detail).to.include({ method: "registration" });
    expect(element.state).to.equal("ready");
    expect(field(element, "username").value).to.equal("alice");
  });
});
