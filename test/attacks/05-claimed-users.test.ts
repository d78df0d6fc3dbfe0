// Any homeserver can claim another server's user. The user sees that ID above the field, so the password for it must not
// reach the homeserver that claims it.
import { expect, fixture, html } from "@open-wc/testing";
import "matrix-auth-elements/define";
import type { AuthClient, AuthDict, UiaDialogElement } from "matrix-auth-elements";
import { LegacySession } from "matrix-auth-elements/core";
import {
  control,
  dialogField,
  dialogOf,
  make as makeAccount,
  settled,
} from "../elements/matrix-account/fixture.js";
import { fill, ready } from "../elements/matrix-login/fixture.js";
import { inState, part, textIn } from "../elements/support/element.js";
import {
  endDialog,
  outcome,
  Password,
  PASSWORD_VALIDATOR,
  ui,
} from "../elements/uia-dialog/fixture.js";
import {
  protectedRequest,
  type ProtectedRequest,
  type StageValidator,
} from "../elements/support/protected-request.js";
import { useTestServers } from "../elements/support/test-servers.js";
import { waitFor } from "../elements/support/wait-for.js";
import { Clock, idle, until } from "../support/clock.js";
import { stub } from "../support/stub.js";

const CLAIMANT = "https://evil.example";
const BANK = "@alice:bank.example";
const SECRET = "the bank's password";

type Documents = Readonly<Record<string, object>>;

/** A server whose well-known file names its homeserver. */
const NAMED: Documents = {
  "https://bank.example/.well-known/matrix/client": {
    "m.homeserver": { base_url: "https://matrix.bank.example" },
  },
};
/** A server without a well-known file, which is a homeserver itself. */
const ITSELF: Documents = {
  "https://bank.example/_matrix/client/versions": { versions: ["v1.1"] },
};

const serving =
  (documents: Documents): typeof fetch =>
  async (input) => {
    const found = documents[new Request(input).url];
    return found ? Response.json(found) : new Response(null, { status: 404 });
  };

const publish = (documents: Documents): void =>
  stub(window, "fetch", { writable: true, value: serving(documents) });

const submitted = ({ sent }: ProtectedRequest): string => JSON.stringify(sent);

describe("A password in <uia-dialog> for a user that the homeserver claims to have", () => {
  afterEach(endDialog);

  const make = async (
    settings: object,
    validators: Readonly<Record<string, StageValidator>> = {},
  ): Promise<ProtectedRequest> => {
    ui.adopt(await fixture<UiaDialogElement>(html`<uia-dialog></uia-dialog>`));
    const request = protectedRequest([Password], {}, validators);
    const dialog = document.querySelector("uia-dialog");
    Object.assign(dialog as object, settings);
    ui.follow(
      dialog?.authenticate(request.doRequest).catch((error: unknown) => error) as Promise<unknown>,
    );
    await ui.asked();
    return request;
  };
  const at = (baseUrl: string, more: Partial<AuthClient> = {}): AuthClient => ({
    baseUrl,
    ...more,
  });
  const CLAIMS: Readonly<Record<string, (user: string, baseUrl: string) => object>> = {
    "in whoami()": (user_id, baseUrl) => ({
      client: at(baseUrl, { whoami: async () => ({ user_id }) }),
    }),
    "at the sign-in, so the client has it": (userId, baseUrl) => ({
      client: at(baseUrl, { userId }),
    }),
    "at the sign-in, so the client of another library has it": (userId, baseUrl) => ({
      client: at(`${baseUrl}/`, { getUserId: () => userId }),
    }),
    "at the sign-in, so the page has it": (userId, baseUrl) => ({ client: at(baseUrl), userId }),
  };
  for (const [how, claim] of Object.entries(CLAIMS)) {
    for (const [server, documents] of Object.entries({
      "names another": NAMED,
      "is one": ITSELF,
    })) {
      it(`is not sent if it claims the user ${how}, whose server ${server}`, async () => {
        publish(documents);
        const request = await make(claim(BANK, CLAIMANT));
        await ui.submit({ password: SECRET });
        expect(await outcome).to.include({ code: "user_elsewhere", homeserver: "bank.example" });
        expect(submitted(request)).not.to.contain(SECRET);
      });
    }

    it(`control: is sent if the user's server names the homeserver, and it has the user ${how}`, async () => {
      publish(NAMED);
      const request = await make(claim(BANK, "https://matrix.bank.example"));
      await ui.submit({ password: SECRET });
      await ui.expectDone();
      expect(submitted(request)).to.contain(SECRET);
    });

    it(`control: is sent if no server has the name, and the homeserver has the user ${how}`, async () => {
      publish({});
      await make(claim("@alice:intranet", "https://matrix.company.example"));
      await ui.submit({ password: SECRET });
      await ui.expectDone();
    });

    it(`control: is sent without a request if the homeserver has the server's name, and has the user ${how}`, async () => {
      const requests: string[] = [];
      stub(window, "fetch", { writable: true, value: (url: string) => void requests.push(url) });
      await make(claim(BANK, "https://bank.example"));
      await ui.submit({ password: SECRET });
      await ui.expectDone();
      expect(requests).to.deep.equal([]);
    });
  }

  for (const user of [
    BANK,
    "alice:bank.example",
    "@alice@bank.example",
    "\u200B@alice:bank.example",
    "＠alice：bank.example",
    "matrix:u/alice:bank.example",
    "https://matrix.to/#/@alice:bank.example?via=:evil.example",
    "@alice@bank.example:evil.example",
    "alice:bank.example:evil.example",
  ]) {
    it(`is not sent if the user types the user ID: ${user}`, async () => {
      publish(NAMED);
      const request = await make({ client: at(CLAIMANT) });
      await ui.submit({ username: user, password: SECRET });
      expect(await outcome).to.have.property("code", "user_elsewhere");
      expect(submitted(request)).not.to.contain(SECRET);
    });
  }

  it("control: is sent if the user types a localpart", async () => {
    publish(NAMED);
    await make({ client: at(CLAIMANT) });
    await ui.submit({ username: "alice", password: SECRET });
    await ui.expectDone();
  });

  it("control: sends one request to the user's server, even if the first password is wrong", async () => {
    const requests: string[] = [];
    const serve = serving(NAMED);
    stub(window, "fetch", {
      writable: true,
      value: (url: string) => {
        requests.push(url);
        return serve(url);
      },
    });
    const userId = "@bob:bank.example";
    await make({ client: at("https://matrix.bank.example", { userId }) }, PASSWORD_VALIDATOR);
    await ui.submit({ password: "wrong" });
    await ui.reads("password");
    await ui.submit({ password: "right" });
    await ui.expectDone();
    expect(requests).to.deep.equal(Object.keys(NAMED));
  });

  it("control: is sent to the homeserver that the user's server names, however the client writes its URL", async () => {
    publish(NAMED);
    await make({
      client: at("HTTPS://Matrix.Bank.Example:443/", { userId: "@carol:bank.example" }),
    });
    await ui.submit({ password: SECRET });
    await ui.expectDone();
  });

  it("control: is sent to a development homeserver on this machine, regardless of its name", async () => {
    publish({ "http://localhost:8008/_matrix/client/versions": { versions: ["v1.1"] } });
    await make({ client: at("http://127.0.0.1:8008", { userId: "@alice:localhost:8008" }) });
    await ui.submit({ password: SECRET });
    await ui.expectDone();
  });

  it("control: is sent after a few seconds if the user's server does not respond", async () => {
    const requests: string[] = [];
    const value = (url: string) => new Promise(() => void requests.push(url));
    stub(window, "fetch", { writable: true, value });
    const userId = "@dave:slow.example";
    const request = await make({ client: at("https://matrix.slow.example", { userId }) });
    const clock = new Clock();
    ui.fill({ password: SECRET });
    await ui.press("submit");
    await until(() => requests.length > 0);
    await clock.pass(5000);
    await idle();
    expect(submitted(request)).to.contain(SECRET);
  });

  const OWN_VIEWS: Readonly<Record<string, AuthDict>> = {
    identifier: { type: Password, identifier: { type: "m.id.user", user: BANK }, password: SECRET },
    "the former user": { type: Password, user: BANK, password: SECRET },
  };
  for (const [what, auth] of Object.entries(OWN_VIEWS)) {
    it(`is not sent by the page's own view, with ${what}`, async () => {
      publish(NAMED);
      const request = await make({ client: at(CLAIMANT, { userId: BANK }) });
      await document.querySelector("uia-dialog")?.submitAuthDict(auth);
      expect(await outcome).to.have.property("code", "user_elsewhere");
      expect(submitted(request)).not.to.contain(SECRET);
    });
  }
});

describe("A password in <matrix-account> for a user that the homeserver claims to have", () => {
  it("is not sent, and the element shows the account's homeserver", async () => {
    const servers = await useTestServers({
      homeserver: CLAIMANT,
      login: ["password"],
      fetch: serving(NAMED),
      accounts: {
        alice: { password: SECRET, devices: [{ device_id: "OLD", display_name: "Old" }] },
      },
    });
    const session = new LegacySession({ ...servers.signIn("alice"), userId: BANK });
    const element = await makeAccount({ session, sections: "devices" });
    await settled(element);
    control(element, "Sign out Old").click();
    (await dialogField(element, "password")).value = SECRET;
    part(await dialogOf(element), "submit").click();
    await waitFor(() => element.state === "error");
    expect(textIn(element)).to.contain("This user’s account is on \u2068bank.example\u2069.");
    expect(JSON.stringify(servers.requests)).not.to.contain(SECRET);
    session.close();
  });
});

describe("A new password in <matrix-account> for a user that the homeserver claims to have", () => {
  const NEW = "a new password of the bank's user";

  for (const [server, userId] of Object.entries({ another: BANK, its: "@alice:evil.example" })) {
    const isOwn = userId !== BANK;
    it(`${isOwn ? "control: is" : "is not"} sent for a user of ${server} server`, async () => {
      const servers = await useTestServers({
        homeserver: CLAIMANT,
        login: ["password"],
        fetch: serving(NAMED),
        accounts: { alice: SECRET },
      });
      const session = new LegacySession({ ...servers.signIn("alice"), userId });
      const element = await makeAccount({ session, sections: "password" });
      await settled(element);
      const field = element.querySelector<HTMLInputElement>("[name=password]");
      if (!field) throw new Error("no field");
      field.value = NEW;
      control(element, "Change password").click();
      const isSent = (): boolean => JSON.stringify(servers.requests).includes(NEW);
      await waitFor(() => element.state === "error" || isSent());
      expect(isSent()).to.equal(isOwn);
      if (!isOwn) {
        expect(textIn(element)).to.contain("This user’s account is on \u2068bank.example\u2069.");
      }
      session.close();
    });
  }
});

describe("A password in <matrix-login> for a user that the homeserver claimed to have earlier", () => {
  for (const [server, documents] of Object.entries({ "names another": NAMED, "is one": ITSELF })) {
    it(`is not sent with the page's user-id, whose server ${server}`, async () => {
      const servers = await useTestServers({
        homeserver: CLAIMANT,
        login: ["password"],
        accounts: { alice: SECRET },
        fetch: serving(documents),
      });
      const element = await ready(
        html`<matrix-login homeserver=${CLAIMANT} user-id=${BANK}></matrix-login>`,
      );
      fill(element, { password: SECRET });
      part(element, "submit").click();
      await inState(element, "error");
      expect(element.error).to.have.property("code", "user_elsewhere");
      expect(JSON.stringify(servers.requests)).not.to.contain(SECRET);
    });
  }
});
