// Two homeservers: what a user gave to one of them, or got from it, must not reach the other.
import { expect, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { MatrixLoginElement, UiaDialogElement } from "matrix-auth-elements";
import { LegacySession } from "matrix-auth-elements/core";
import {
  createTestServers,
  type TestServers,
  type TestServersOptions,
} from "matrix-auth-elements/testing";
import {
  control,
  dialogField,
  dialogOf,
  make as makeAccount,
  settled,
} from "../elements/matrix-account/fixture.js";
import { field, fill, openForm, ready } from "../elements/matrix-login/fixture.js";
import { inState, nextEvent, part, textIn } from "../elements/support/element.js";
import { bodiesTo, hold, HOMESERVER, useTestServers } from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { restoreStubs } from "../support/stub.js";

const OTHER = "https://other.example";
const PASSWORD = "secret-password";
const EMAIL = "m.login.email.identity";

let servers: TestServers;
let other: TestServers;

async function useTwo(options: TestServersOptions = {}): Promise<void> {
  const common = {
    login: ["password"],
    uia: { registrationFlows: [[EMAIL]] },
  } as const;
  other = await createTestServers({
    ...common,
    homeserver: OTHER,
    accounts: { bob: { password: PASSWORD, emails: ["bob@mail.example"] } },
    tokenPrefix: "other-",
  });
  servers = await useTestServers({
    ...common,
    accounts: { alice: { password: PASSWORD, emails: ["alice@mail.example"] } },
    fetch: other.fetch,
    ...options,
  });
}

const login = (homeserver = HOMESERVER): Promise<MatrixLoginElement> =>
  ready(html`<matrix-login homeserver=${homeserver}></matrix-login>`);

async function stageOf(element: MatrixLoginElement, name: string): Promise<UiaDialogElement> {
  const found = await waitFor(() => {
    const dialog = element.shadowRoot?.querySelector<UiaDialogElement>("uia-dialog[open]");
    return dialog?.session?.stage === name ? dialog : undefined;
  });
  if (!found) throw new Error("no dialog");
  return found;
}

/** All that a homeserver has issued, or was given as a secret: sessions, `sid`, and `client_secret`. */
function credentialsIn({ requests }: TestServers): readonly string[] {
  const found = requests.flatMap(({ body }) =>
    [...body.matchAll(/"(?:sid|client_secret|session|password|new_password)":"([^"]+)"/g)].map(
      ([, value = ""]) => value,
    ),
  );
  return [...new Set(found)];
}

const sentTo = ({ requests }: TestServers): string =>
  requests.map(({ url, body }) => url + body).join("\n");

/** Changes the homeserver, as a page does, until the new one is ready. */
async function change(element: MatrixLoginElement, homeserver = OTHER): Promise<void> {
  const found = nextEvent(element, "matrix-login-homeserver");
  element.homeserver = homeserver;
  await found;
  await element.updateComplete;
}

const ACTIONS = {
  registration: ["register", { username: "carol" }, "POST /register", "M_USER_IN_USE"],
  reset: ["forgot", { email: "alice@mail.example" }, "POST /account/password", "M_WEAK_PASSWORD"],
} as const;

for (const [action, [link, values, endpoint, refusal]] of Object.entries(ACTIONS)) {
  describe(`The form of <matrix-login> for a ${action}, if the homeserver changes`, () => {
    let element: MatrixLoginElement;
    beforeEach(async () => {
      await useTwo();
      servers.uia.flows = [[EMAIL]];
      other.uia.flows = [[EMAIL]];
      element = await login();
    });
    afterEach(restoreStubs);

    const open = async (): Promise<void> => {
      await openForm(element, link);
      fill(element, { ...values, password: PASSWORD, repeat: PASSWORD });
    };
    const submit = (): void => part(element, "submit").click();

    /** Validates the address, after which the homeserver rejects another field. */
    async function failAfterEmail(): Promise<void> {
      await open();
      submit();
      const dialog = await stageOf(element, EMAIL);
      if (link === "register") {
        const input = await waitFor(() => dialog.querySelector<HTMLInputElement>("[name=email]"));
        if (input) input.value = "carol@mail.example";
        part(dialog, "submit").click();
      }
      // Before this, a poll does not include the address's credentials.
      await waitFor(() => dialog.session?.status.emailSid);
      servers.approve(servers.messages[0]?.link ?? "");
      servers.refuse(endpoint, 400, { errcode: refusal });
      await dialog.poll();
      await inState(element, "ready");
    }

    it("sends no data of the first homeserver to the second", async () => {
      await failAfterEmail();
      await change(element);
      const secrets = credentialsIn(servers);
      expect(secrets).to.have.length.above(2);
      // The user continues, in the form that is still open, or opens it again.
      if (!element.querySelector("[name=repeat]")) await openForm(element, link);
      const given = link === "register" ? { username: "dave" } : { email: "alice@mail.example" };
      fill(element, { ...given, password: "new-secret", repeat: "new-secret" });
      submit();
      await waitFor(() => bodiesTo(other, endpoint).length > 0);
      for (const secret of secrets) expect(sentTo(other)).to.not.contain(secret);
    });

    it("continues at the same homeserver without another email", async () => {
      await failAfterEmail();
      const [session] = bodiesTo(servers, endpoint).flatMap(({ auth }) =>
        auth ? [(auth as { readonly session?: string }).session] : [],
      );
      fill(element, { ...values, password: "new-secret", repeat: "new-secret" });
      const count = bodiesTo(servers, endpoint).length;
      submit();
      const later = (): string => JSON.stringify(bodiesTo(servers, endpoint).slice(count));
      await waitFor(() => session && later().includes(session));
      expect(servers.messages).to.have.length(1);
    });

    it("is closed, together with its dialog, and clears the user's input", async () => {
      await open();
      submit();
      const dialog = await stageOf(element, EMAIL);
      await change(element);
      expect(element.shadowRoot?.querySelectorAll("[part=back]")).to.have.length(0);
      expect(dialog.open).to.equal(false);
      const typed = [...element.querySelectorAll("input")].map(({ value }) => value);
      expect(typed).to.not.include(PASSWORD);
      expect(sentTo(other)).to.not.contain(PASSWORD);
    });

    it("sends nothing if it is submitted while the page changes the homeserver", async () => {
      await open();
      const form = element.querySelector("form");
      element.addEventListener("matrix-login-homeserver", () => {
        element.append(form ?? "");
        form?.requestSubmit();
      });
      await change(element);
      await element.updateComplete;
      expect(bodiesTo(other, endpoint)).to.have.length(0);
      expect(sentTo(other)).to.not.contain(PASSWORD);
    });
  });
}

describe("The password form of <matrix-login>, if the homeserver changes", () => {
  afterEach(restoreStubs);

  it("sends nothing if it is submitted while the page changes the homeserver", async () => {
    await useTwo();
    const element = await login();
    fill(element, { username: "alice", password: PASSWORD });
    const form = element.querySelector("form");
    element.addEventListener("matrix-login-homeserver", () => {
      element.append(form ?? "");
      form?.requestSubmit();
    });
    await change(element);
    await element.updateComplete;
    expect(bodiesTo(other, "POST /login")).to.have.length(0);
  });
});

describe("A password in <matrix-login>, with a user ID of another homeserver", () => {
  afterEach(restoreStubs);

  const submit = (element: MatrixLoginElement, username: string): void => {
    fill(element, { username, password: PASSWORD });
    part(element, "submit").click();
  };

  const elsewhere = [
    "@bob:other.example",
    "@bob:OTHER.example",
    "@bob:other.example:443",
    "bob:other.example",
    "\u200B@bob:other.example",
    "＠bob：other.example",
    "@bob@other.example",
    "https://matrix.to/#/@bob:other.example",
    "matrix.to/#/%40bob%3Aother.example",
    "matrix:u/bob:other.example",
    "@bob:unknown.example",
  ];
  for (const user of elsewhere) {
    it(`is not sent: ${user}`, async () => {
      await useTwo();
      const element = await login();
      submit(element, user);
      await inState(element, "error");
      expect(element.error).to.have.property("code", "user_elsewhere");
      expect(sentTo(servers)).to.not.contain(PASSWORD);
      expect(sentTo(other)).to.not.contain(PASSWORD);
      expect(field(element, "username").value).to.equal(user);
    });
  }

  it("is sent to the user's homeserver after the user has agreed, and typed it again", async () => {
    await useTwo();
    const element = await login();
    submit(element, "@bob:other.example");
    await inState(element, "error");
    const said = "This user’s account is on \u2068other.example\u2069. Your password wasn’t sent.";
    expect(textIn(element)).to.contain(said);
    expect(element.error).to.have.property("homeserver", "other.example");
    const buttons = [...(element.shadowRoot?.querySelectorAll<HTMLElement>("button") ?? [])];
    buttons.find(({ textContent }) => textContent.trim() === "Sign in to other.example")?.click();
    await waitFor(() => element.homeserverUrl === OTHER);
    await inState(element, "ready");
    expect(field(element, "username").value).to.equal("@bob:other.example");
    expect(field(element, "password").value).to.equal("");
    submit(element, "@bob:other.example");
    await inState(element, "success");
    expect(element.session?.user.userId).to.equal("@bob:other.example");
    expect(sentTo(servers)).to.not.contain(PASSWORD);
  });

  it("can't be sent elsewhere if the page fixes the homeserver", async () => {
    await useTwo();
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} homeserver-locked></matrix-login>`,
    );
    submit(element, "@bob:other.example");
    await inState(element, "error");
    expect(element.shadowRoot?.querySelectorAll("[part=change]")).to.have.length(0);
  });

  it("is not sent if the page's user-id is stale, and the user's homeserver is known", async () => {
    await useTwo();
    other.override(
      "/.well-known/matrix/client",
      () => Response.json({ "m.homeserver": { base_url: "https://matrix.other.example" } }),
      { times: Infinity },
    );
    const element = await ready(
      html`<matrix-login homeserver=${HOMESERVER} user-id="@bob:other.example"></matrix-login>`,
    );
    fill(element, { password: PASSWORD });
    part(element, "submit").click();
    await inState(element, "error");
    expect(element.error).to.have.property("code", "user_elsewhere");
    expect(sentTo(servers)).to.not.contain(PASSWORD);
  });

  const here = ["alice", "@alice:hs.example", "alice@mail.example"];
  for (const user of here) {
    it(`is sent to the user's own homeserver: ${user}`, async () => {
      await useTwo();
      const element = await login();
      submit(element, user);
      await inState(element, "success");
    });
  }

  const delegated = {
    homeserver: "https://matrix.hs.example",
    serverName: "hs.example",
  };
  for (const [given, user] of [
    ["hs.example", "@alice:hs.example"],
    ["https://matrix.hs.example", "@alice:hs.example"],
  ] as const) {
    it(`is sent to a homeserver with another name, given as ${given}`, async () => {
      await useTwo(delegated);
      const element = await login(given);
      submit(element, user);
      await inState(element, "success");
    });
  }

  it("is sent with the page's user-id, whose server has no well-known file", async () => {
    await useTwo({ ...delegated, serverName: "bare.example" });
    servers.override("/.well-known/matrix/client", () => Response.error(), { times: Infinity });
    const element = await ready(
      html`<matrix-login
        homeserver="https://matrix.hs.example"
        user-id="@alice:bare.example"
      ></matrix-login>`,
    );
    fill(element, { password: PASSWORD });
    part(element, "submit").click();
    await inState(element, "success");
  });

  it("creates no account if the username is a user ID", async () => {
    await useTwo();
    const element = await login();
    await openForm(element, "register");
    fill(element, { username: "@bob:other.example", password: PASSWORD, repeat: PASSWORD });
    part(element, "submit").click();
    await waitFor(() => field(element, "username").ariaInvalid === "true");
    expect(sentTo(servers)).to.not.contain(PASSWORD);
  });
});

describe("A registration or password reset in <matrix-login> that was cancelled too late", () => {
  afterEach(restoreStubs);

  it("leaves no device behind", async () => {
    await useTwo();
    servers.uia.registrationFlows = [[]];
    const element = await login();
    await openForm(element, "register");
    fill(element, { username: "carol", password: PASSWORD, repeat: PASSWORD });
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const done = new Promise<void>((notify) => {
      servers.override("POST /register", async ({ url, method, headers, body }) => {
        const response = await servers.respond(new Request(url, { method, headers, body }));
        notify();
        await released;
        return response;
      });
    });
    part(element, "submit").click();
    await done;
    element.cancel();
    release();
    await waitFor(() => bodiesTo(servers, "POST /logout").length === 1);
    await waitFor(() => servers.account("carol")?.devices.length === 0);
  });
});

describe("<matrix-account>, if the account changes while an address is added", () => {
  afterEach(restoreStubs);

  it("sends the first homeserver's validation only to that homeserver", async () => {
    await useTwo();
    const alice = new LegacySession(servers.signIn("alice"), { key: "alice" });
    const bob = new LegacySession(other.signIn("bob"), { key: "bob" });
    const element = await makeAccount({ session: alice, sections: "contacts" });
    await settled(element);
    control(element, "Add email address").click();
    (await dialogField(element, "email")).value = "new@mail.example";
    const { asked, release } = hold(servers, "/requestToken");
    part(await dialogOf(element), "submit").click();
    await asked;
    element.session = bob;
    await waitFor(() => element.userId === "@bob:other.example");
    await settled(element);
    release();
    await new Promise((resolve) => setTimeout(resolve));
    await settled(element);
    expect(element.shadowRoot?.querySelectorAll("uia-dialog[open]")).to.have.length(0);
    for (const secret of credentialsIn(servers)) expect(sentTo(other)).to.not.contain(secret);
    expect(bodiesTo(other, "POST /account/3pid/add")).to.have.length(0);
  });
});
