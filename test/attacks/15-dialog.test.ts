// Rule 15: a call acts on what it was given when it was called. The dialog of one account never speaks to, or for, another one.
import { expect, fixture, html } from "@open-wc/testing";
import {
  type AuthClient,
  type AuthDict,
  HomeserverClient,
  provideAuthClient,
  type UiaDialogElement,
  type UiaSession,
} from "matrix-auth-elements";
import { LegacySession } from "matrix-auth-elements/core";
import { breathe, until } from "../support/clock.js";
import { stub } from "../support/stub.js";
import {
  Email,
  Msisdn,
  NOT_YET,
  Password,
  Sso,
  Terms,
  POLICIES,
  element,
  endDialog,
  gate,
  ui,
} from "../elements/uia-dialog/fixture.js";
import {
  protectedRequest,
  type ProtectedRequest,
  refusal,
} from "../elements/support/protected-request.js";
import { untilQuiet, waitFor } from "../elements/support/wait-for.js";

interface Account {
  readonly userId: string;
  readonly baseUrl: string;
  readonly client: AuthClient;
}

function account(name: string): Account {
  const baseUrl = `https://${name}.example`;
  const userId = `@${name}:${name}.example`;
  return { userId, baseUrl, client: { baseUrl, userId } };
}

const ALICE = account("alice");
const BOB = account("bob");

const IN_USE = refusal(400, { errcode: "M_THREEPID_IN_USE" });

/** The users and the passwords that a homeserver has received. */
const submissions = ({ sent }: ProtectedRequest): unknown[] =>
  sent
    .filter((auth) => auth?.type === Password)
    .map((auth) => [(auth?.["identifier"] as { user: unknown }).user, auth?.["password"]]);

const shownUser = (): string | undefined => ui.part("user")?.querySelector("bdi")?.innerText;

const call = (request: ProtectedRequest, options?: object): Promise<unknown> =>
  element.authenticate(request.doRequest, options).catch((error: unknown) => error);

/** How a page tells the dialog the account. */
const WAYS: Readonly<Record<string, (who: Account) => void>> = {
  "as its client": ({ client }) => void (element.client = client),
  "as user-id": ({ userId }) => element.setAttribute("user-id", userId),
  "as client and user-id": ({ client, userId }) => Object.assign(element, { client, userId }),
  "as a client that has getUserId()": ({ userId, baseUrl }) =>
    void (element.client = { baseUrl, getUserId: () => userId }),
  "as the client of the context": ({ client }) =>
    provideAuthClient(element.parentElement as HTMLElement, client),
};

describe("Rule 15: a call of <uia-dialog>", () => {
  afterEach(endDialog);

  const make = async (): Promise<void> => {
    const place = await fixture<HTMLElement>(html`<div><uia-dialog></uia-dialog></div>`);
    ui.adopt(place.querySelector("uia-dialog") as UiaDialogElement);
  };

  for (const [how, use] of Object.entries(WAYS)) {
    it(`shows and submits the user of its own account if the page sets another one ${how} and calls again`, async () => {
      await make();
      const requests = [protectedRequest([Password]), protectedRequest([Password])] as const;
      use(ALICE);
      const first = call(requests[0]);
      use(BOB);
      const second = call(requests[1]);
      await ui.asked();
      expect(shownUser()).to.equal(ALICE.userId);
      await ui.submit({ password: "alice's" });
      await first;
      await ui.asked();
      expect(shownUser()).to.equal(BOB.userId);
      await ui.submit({ password: "bob's" });
      await second;
      expect(submissions(requests[0])).to.deep.equal([[ALICE.userId, "alice's"]]);
      expect(submissions(requests[1])).to.deep.equal([[BOB.userId, "bob's"]]);
    });

    it(`keeps its account if the page sets another one ${how} at a stage`, async () => {
      await make();
      const request = protectedRequest([Terms, Password], POLICIES);
      use(ALICE);
      const done = call(request);
      await ui.asked();
      use(BOB);
      await element.updateComplete;
      ui.checkAll();
      await ui.submit();
      await ui.asked();
      expect(shownUser()).to.equal(ALICE.userId);
      await ui.submit({ password: "alice's" });
      await done;
      expect(submissions(request)).to.deep.equal([[ALICE.userId, "alice's"]]);
    });
  }

  it("keeps its account while it waits for its turn", async () => {
    await make();
    const [first, second] = [protectedRequest([Password]), protectedRequest([Password])];
    element.client = ALICE.client;
    const done = [call(first), call(second)];
    await ui.asked();
    element.client = BOB.client;
    for (const each of done) {
      await ui.asked();
      await ui.submit({ password: "alice's" });
      await each;
    }
    expect(submissions(second)).to.deep.equal([[ALICE.userId, "alice's"]]);
  });

  it("passes its own inputs and session to its stages, even if the page changes them later", async () => {
    await make();
    const inputs = { emailAddress: "alice@example.org" };
    Object.assign(element, { client: ALICE.client, inputs });
    const asked: unknown[] = [];
    const requestEmailToken = async (address: string): Promise<{ sid: string }> => {
      asked.push(address);
      return { sid: "sid" };
    };
    const { passed, open } = gate();
    const { doRequest } = protectedRequest([Email, Password]);
    ui.follow(
      element
        .authenticate((...each) => passed.then(() => doRequest(...each)), { requestEmailToken })
        .catch(String),
    );
    inputs.emailAddress = "bob@example.org";
    Object.assign(element, { client: BOB.client, inputs: { emailAddress: "bob@example.org" } });
    open();
    await ui.asked();
    await waitFor(() => asked.length > 0);
    expect(asked).to.deep.equal(["alice@example.org"]);
    expect(element.session?.inputs).to.deep.equal({ emailAddress: "alice@example.org" });
    expect(element.session?.client).to.equal(ALICE.client);
  });

  describe("that needs a page of the homeserver", () => {
    const opened: string[] = [];
    beforeEach(() => {
      opened.length = 0;
      stub(window, "open", {
        value: (url: string) => {
          opened.push(url);
          return null;
        },
      });
    });

    const frame = (): Element | null | undefined =>
      element.shadowRoot?.querySelector("uia-fallback-frame");
    const openButton = (): HTMLElement | null | undefined =>
      frame()?.shadowRoot?.querySelector<HTMLElement>("[part=open]");

    for (const next of [BOB.client, undefined]) {
      it(`opens it on its own homeserver if the client ${next ? "changes" : "is removed"} between two stages`, async () => {
        await make();
        element.client = ALICE.client;
        ui.follow(call(protectedRequest([Terms, Sso], POLICIES)));
        await ui.asked();
        element.client = next;
        ui.checkAll();
        await ui.submit();
        await waitFor(openButton);
        openButton()?.click();
        expect(opened.map((url) => new URL(url).origin)).to.deep.equal([ALICE.baseUrl]);
      });
    }

    it("opens no page on the homeserver of a client that is set later, if it had no client", async () => {
      await make();
      ui.follow(call(protectedRequest([Sso])));
      await waitFor(() => frame()?.shadowRoot?.childElementCount);
      provideAuthClient(element.parentElement as HTMLElement, BOB.client);
      await breathe();
      await element.updateComplete;
      openButton()?.click();
      expect(opened).to.deep.equal([]);
    });

    for (const [what, own, page] of [
      ["names another client", { client: BOB.client }, undefined],
      ["names another homeserver", { homeserver: BOB.baseUrl }, undefined],
      ["has the session of another one", { session: "bobs-session" }, undefined],
      ["repeats the dialog's", { ...ALICE, session: "the-session" }, ALICE.baseUrl],
      [
        "repeats the dialog's homeserver with a slash",
        { homeserver: `${ALICE.baseUrl}/` },
        ALICE.baseUrl,
      ],
    ] as const) {
      it(`${page ? "opens it for" : "opens none for"} the page's own frame in it that ${what}`, async () => {
        await make();
        const slotted = Object.assign(document.createElement("uia-fallback-frame"), own);
        slotted.slot = Sso;
        element.append(slotted);
        element.client = ALICE.client;
        ui.follow(call(protectedRequest([Sso])));
        await waitFor(() => element.session && slotted.shadowRoot?.childElementCount);
        await slotted.updateComplete;
        slotted.shadowRoot?.querySelector<HTMLElement>("[part=open]")?.click();
        expect(opened.map((url) => new URL(url).origin)).to.deep.equal(page ? [page] : []);
      });
    }
  });

  describe("with two sources of identity", () => {
    const knownBy: Readonly<Record<string, (id: string) => AuthClient>> = {
      userId: (userId) => ({ userId }),
      getUserId: (id) => ({ getUserId: () => id }),
      session: (userId) => {
        const session = { user: { userId }, accessToken: async () => Promise.resolve("token") };
        const baseUrl = "https://hs.example";
        return new HomeserverClient({ baseUrl, session, userId: ALICE.userId });
      },
    };
    for (const [source, clientOf] of Object.entries(knownBy)) {
      it(`rejects before anything is sent if user-id and the client's ${source} disagree`, async () => {
        await make();
        Object.assign(element, { userId: ALICE.userId, client: clientOf(BOB.userId) });
        const request = protectedRequest([Password]);
        expect(await call(request)).to.have.property("code", "account_mismatch");
        expect(request.sent).to.deep.equal([]);
      });

      it(`submits the password if user-id and the client's ${source} agree`, async () => {
        await make();
        Object.assign(element, { userId: ALICE.userId, client: clientOf(ALICE.userId) });
        const request = protectedRequest([Password]);
        const done = call(request);
        await ui.asked();
        await ui.submit({ password: "alice's" });
        expect(await done).to.deep.equal({ done: true });
      });
    }

    it("reports this to a page that opens it with the attribute, too", async () => {
      await make();
      Object.assign(element, { userId: ALICE.userId, client: BOB.client });
      const codes: unknown[] = [];
      element.addEventListener("uia-error", ({ detail }) => codes.push(detail.code));
      element.open = true;
      await waitFor(() => codes.length > 0);
      expect(codes).to.deep.equal(["account_mismatch"]);
    });

    for (const [userId, isOther] of [
      ["alice", false],
      ["bob", true],
    ] as const) {
      for (const source of ["userId", "whoami"]) {
        it(`${isOther ? "rejects" : "submits"} the password if user-id is "${userId}", and the client's ${source} is Alice`, async () => {
          await make();
          const client =
            source === "whoami"
              ? { whoami: async () => ({ user_id: ALICE.userId }) }
              : { userId: ALICE.userId };
          Object.assign(element, { userId, client });
          const request = protectedRequest([Password]);
          const done = call(request);
          if (!isOther || source === "whoami") {
            await ui.asked();
            await ui.submit({ password: "alice's" });
          }
          if (isOther) expect(await done).to.have.property("code", "account_mismatch");
          else await done;
          expect(submissions(request)).to.deep.equal(isOther ? [] : [["alice", "alice's"]]);
        });
      }
    }

    for (const [who, submitted] of [
      [BOB, []],
      [ALICE, [[ALICE.userId, "alice's"]]],
    ] as const) {
      it(`submits ${submitted.length > 0 ? "the" : "no"} password for user-id if whoami() then names ${who.userId}`, async () => {
        await make();
        const { passed, open } = gate();
        const client = { whoami: () => passed.then(() => ({ user_id: who.userId })) };
        Object.assign(element, { userId: ALICE.userId, client });
        const request = protectedRequest([Password]);
        const done = call(request);
        await waitFor(() => element.querySelector("[name=password]"));
        ui.fill({ password: "alice's" });
        await ui.press("submit");
        await breathe();
        expect(submissions(request)).to.deep.equal([]);
        open();
        const result = await done;
        expect(submissions(request)).to.deep.equal(submitted);
        if (submitted.length === 0) expect(result).to.have.property("code", "account_mismatch");
      });
    }

    it("submits nothing after its client has changed to another user", async () => {
      await make();
      const client = { userId: ALICE.userId };
      element.client = client;
      const request = protectedRequest([Password]);
      const done = call(request);
      await ui.asked();
      client.userId = BOB.userId;
      await ui.submit({ password: "alice's" });
      expect(await done).to.have.property("code", "account_mismatch");
      expect(submissions(request)).to.deep.equal([]);
    });
  });

  describe("whose session moves to another URL", () => {
    const NEW = "https://matrix.alice.example";
    const WELL_KNOWN = "https://alice.example/.well-known/matrix/client";

    /** A session, and its client. The user's server names the new URL. */
    const signIn = () => {
      const { userId, baseUrl: homeserverUrl } = ALICE;
      const fetch = async (input: RequestInfo | URL): Promise<Response> => {
        const isWellKnown = new Request(input).url === WELL_KNOWN;
        const found = isWellKnown ? { "m.homeserver": { base_url: NEW } } : { user_id: userId };
        return Promise.resolve(Response.json(found));
      };
      stub(window, "fetch", { writable: true, value: fetch });
      const session = new LegacySession(
        { homeserverUrl, userId, deviceId: "PHONE", accessToken: "token" },
        { fetch },
      );
      element.client = new HomeserverClient({ baseUrl: homeserverUrl, session });
      return session;
    };

    /** The user enters the password after the move. */
    const submitAfter = async (url: string) => {
      await make();
      const session = signIn();
      const request = protectedRequest([Password]);
      const done = call(request);
      await ui.asked();
      await session.moveTo(url);
      await ui.submit({ password: "alice's" });
      return { request, outcome: await done };
    };

    it("submits the password there", async () => {
      const { request, outcome } = await submitAfter(NEW);
      expect(outcome).to.deep.equal({ done: true });
      expect(submissions(request)).to.deep.equal([[ALICE.userId, "alice's"]]);
    });

    it("submits no password there if the user's server names another homeserver", async () => {
      const { request, outcome } = await submitAfter("https://unnamed.example");
      expect(outcome).to.have.property("code", "user_elsewhere");
      expect(submissions(request)).to.deep.equal([]);
    });

    it("shares its request with a later call with its key", async () => {
      await make();
      const session = signIn();
      const { passed, open } = gate();
      let requests = 0;
      const send = async (): Promise<number> => passed.then(() => (requests += 1));
      const first = element.authenticate(send, { key: "delete" });
      await until(() => element.state === "busy");
      await session.moveTo(NEW);
      const second = element.authenticate(send, { key: "delete" });
      open();
      expect([await first, await second]).to.deep.equal([1, 1]);
    });

    it("submits nothing if only the page's own source of tokens changes its homeserver", async () => {
      await make();
      const source = { homeserverUrl: ALICE.baseUrl, accessToken: async () => Promise.resolve("") };
      element.client = new HomeserverClient({ baseUrl: ALICE.baseUrl, session: source });
      element.userId = ALICE.userId;
      const request = protectedRequest([Password]);
      const done = call(request);
      await ui.asked();
      source.homeserverUrl = NEW;
      await ui.submit({ password: "alice's" });
      expect(await done).to.have.property("code", "account_mismatch");
      expect(submissions(request)).to.deep.equal([]);
    });
  });

  describe("that could join another call", () => {
    /** A call that the test lets through; its homeserver requires no stage. */
    const heldCall = (result: string, options: object) => {
      const { passed, open } = gate();
      const promise = element.authenticate(() => passed.then(() => result), options);
      return { promise, open };
    };

    for (const [how, use] of Object.entries(WAYS)) {
      it(`sends its own request if the pending call with its key is another account's, set ${how}`, async () => {
        await make();
        use(ALICE);
        const first = heldCall("alice's", { key: "delete" });
        use(BOB);
        const second = heldCall("bob's", { key: "delete" });
        first.open();
        second.open();
        expect(await first.promise).to.equal("alice's");
        expect(await second.promise).to.equal("bob's");
      });
    }

    it("joins it if key and account are the same, even with another client of that user", async () => {
      await make();
      element.client = ALICE.client;
      const first = heldCall("first", { key: "delete" });
      element.client = { ...ALICE.client };
      const second = heldCall("second", { key: "delete" });
      first.open();
      expect([await first.promise, await second.promise]).to.deep.equal(["first", "first"]);
    });

    it("sends its own request if its client's homeserver has changed", async () => {
      await make();
      const client = { baseUrl: ALICE.baseUrl };
      element.client = client;
      const first = heldCall("first", { key: "delete" });
      client.baseUrl = BOB.baseUrl;
      const second = heldCall("second", { key: "delete" });
      ui.follow(first.promise.catch(String));
      first.open();
      second.open();
      expect(await second.promise).to.equal("second");
    });

    it("sends its own request if the homeserver has changed before the dialog's code is loaded", async () => {
      ui.adopt(document.createElement("uia-dialog"));
      document.body.append(element);
      const client = { baseUrl: ALICE.baseUrl };
      element.client = client;
      const first = heldCall("first", { key: "delete" });
      client.baseUrl = BOB.baseUrl;
      const second = heldCall("second", { key: "delete" });
      ui.follow(first.promise.catch(String));
      second.open();
      expect(await second.promise).to.equal("second");
    });

    it("joins it if its client has learned its user in the meantime", async () => {
      await make();
      const client = { baseUrl: ALICE.baseUrl };
      element.client = client;
      const first = heldCall("first", { key: "delete" });
      Object.assign(client, { userId: ALICE.userId });
      const second = heldCall("second", { key: "delete" });
      first.open();
      expect([await first.promise, await second.promise]).to.deep.equal(["first", "first"]);
    });

    it("sends its own request if two clients of one homeserver don't know their users yet", async () => {
      await make();
      element.client = { baseUrl: ALICE.baseUrl };
      const first = heldCall("first", { key: "delete" });
      element.client = { baseUrl: ALICE.baseUrl };
      const second = heldCall("second", { key: "delete" });
      first.open();
      second.open();
      expect(await Promise.all([first.promise, second.promise])).to.deep.equal(["first", "second"]);
    });

    for (const [what, change, result] of [
      ["another account's", () => Object.assign(element, BOB), "next"],
      ["another request's", () => undefined, "next"],
    ] as const) {
      it(`isn't joined by attemptAuth() of ${what} attempt`, async () => {
        await make();
        element.client = ALICE.client;
        const { passed, open } = gate();
        element.doRequest = () => passed.then(() => "first");
        const first = element.attemptAuth();
        change();
        element.doRequest = async () => "next";
        const next = element.attemptAuth();
        open();
        expect([await first, await next]).to.deep.equal(["first", result]);
      });
    }

    it("does not get the result of authenticate() from attemptAuth()", async () => {
      await make();
      const first = heldCall("authenticate", {});
      element.doRequest = async () => "attempt";
      const second = element.attemptAuth();
      first.open();
      expect([await first.promise, await second]).to.deep.equal(["authenticate", "attempt"]);
    });
  });

  describe("through authUploadDeviceSigningKeys", () => {
    const upload = async (who: Account): Promise<unknown[]> => {
      await make();
      element.client = ALICE.client;
      const { authUploadDeviceSigningKeys } = element;
      element.client = who.client;
      const request = protectedRequest([Password]);
      const done = authUploadDeviceSigningKeys(async (auth: AuthDict | null) => {
        await request.doRequest(auth, false);
      }).catch((error: unknown) => error);
      ui.follow(done);
      const open = waitFor(() => ui.dialog()?.open).catch(() => undefined);
      const result = await Promise.race([done, open]);
      if (ui.dialog()?.open) {
        await ui.asked();
        await ui.submit({ password: "a password" });
        await done;
      }
      return [result, ...submissions(request)];
    };

    it("sends nothing if the page got the function for one account and the dialog has another", async () => {
      const [result, ...submitted] = await upload(BOB);
      expect(submitted).to.deep.equal([]);
      expect(result).to.have.property("code", "account_mismatch");
    });

    it("belongs to the client for which the function was read, even if the client gets its user later", async () => {
      await make();
      const client = { baseUrl: ALICE.baseUrl };
      element.client = client;
      const { authUploadDeviceSigningKeys } = element;
      Object.assign(client, { userId: ALICE.userId });
      let uploads = 0;
      await authUploadDeviceSigningKeys(async () => void (uploads += 1));
      expect(uploads).to.equal(1);
    });

    it("submits the password of the account for which the function was read", async () => {
      const [, ...submitted] = await upload(ALICE);
      expect(submitted).to.deep.equal([[ALICE.userId, "a password"]]);
    });
  });

  describe("that resumes a UIA session", () => {
    const RESUMPTION = { sessionId: "alices-session", clientSecret: "secret", emailSid: "sid" };
    const resume = async (
      who: Account,
      before: () => unknown = () => undefined,
    ): Promise<unknown> => {
      await before();
      element.client = who.client;
      const request = protectedRequest([Email, Password]);
      ui.follow(call(request));
      await ui.asked();
      await untilQuiet();
      return JSON.stringify(request.sent);
    };
    const once = async (): Promise<void> => {
      const done = call(protectedRequest([Email, Password]));
      await ui.asked();
      element.cancel();
      await done;
    };

    for (const [when, before] of [
      ["has used it", once],
      ["was set with it", () => element.updateComplete],
    ] as const) {
      it(`sends none of its data to a homeserver other than the one whose client ${when}`, async () => {
        await make();
        Object.assign(element, { client: ALICE.client, ...RESUMPTION });
        expect(await resume(BOB, before)).to.not.match(/alices-session|secret|sid/);
      });
    }

    it("sends it to the homeserver that it belongs to", async () => {
      await make();
      Object.assign(element, { client: ALICE.client, ...RESUMPTION });
      expect(await resume(ALICE, () => element.updateComplete)).to.contain("alices-session");
    });

    it("sends it if the page has read authUploadDeviceSigningKeys before it sets the client", async () => {
      await make();
      Object.assign(element, RESUMPTION);
      void element.authUploadDeviceSigningKeys;
      expect(await resume(ALICE)).to.contain("alices-session");
    });

    it("sends the data that the page sets together with another client", async () => {
      await make();
      Object.assign(element, { client: ALICE.client, ...RESUMPTION });
      await element.updateComplete;
      Object.assign(element, { client: BOB.client, sessionId: "bobs-session" });
      expect(await resume(BOB)).to.contain("bobs-session");
    });
  });

  describe("that receives a submission", () => {
    const submit = async (session: string): Promise<ProtectedRequest> => {
      await make();
      element.client = BOB.client;
      const request = protectedRequest([Password]);
      ui.follow(call(request));
      await ui.asked();
      const password = { type: Password, identifier: { user: "x" }, password: "p", session };
      await element.submitAuthDict(password);
      return request;
    };

    it("does not send it if it belongs to another UIA session", async () => {
      expect(submissions(await submit("alices-session"))).to.deep.equal([]);
    });

    it("sends it if it belongs to its own session", async () => {
      expect(submissions(await submit("the-session"))).to.deep.equal([["x", "p"]]);
    });

    it("doesn't receive the submission of an earlier call's view", async () => {
      await make();
      element.client = ALICE.client;
      const [first, second] = [protectedRequest([Password]), protectedRequest([Password])];
      const done = call(first);
      await ui.asked();
      const old = element.session as UiaSession;
      element.cancel();
      await done;
      element.client = BOB.client;
      ui.follow(call(second));
      await ui.asked();
      await old.submit({ type: Password, identifier: { user: ALICE.userId }, password: "p" });
      expect(submissions(second)).to.deep.equal([]);
    });
  });

  describe("whose user replaces a wrong address, while its owner follows the link", () => {
    /** The addresses with a validation, and what holds or rejects the next message. */
    const open = async (stage: string) => {
      const sent: string[] = [];
      let answer = async (): Promise<void> => undefined;
      const send = async (...given: readonly unknown[]): Promise<{ sid: string }> => {
        const sid = String(given[stage === Email ? 0 : 1]);
        await answer();
        sent.push(sid);
        return { sid };
      };
      const isConfirmed = ({ threepid_creds }: AuthDict): undefined | typeof NOT_YET =>
        sent.includes((threepid_creds as { sid: string }).sid) ? undefined : NOT_YET;
      await make();
      Object.assign(element, { requestEmailToken: send, requestPhoneToken: send });
      const request = protectedRequest([stage], {}, { [stage]: isConfirmed });
      ui.follow(call(request));
      await ui.asked();
      const ask = (to: string): Promise<void> | undefined =>
        stage === Email
          ? element.session?.requestEmailToken(to)
          : element.session?.requestPhoneToken("GB", to);
      await ask("wrong");
      return { request, ask, next: (how: typeof answer) => void (answer = how) };
    };

    for (const stage of [Email, Msisdn]) {
      /** @returns Whether the dialog asks the homeserver. */
      const asks = async ({ sent }: ProtectedRequest): Promise<boolean> => {
        const { length } = sent;
        await element.poll();
        return sent.length > length;
      };

      it(`doesn't confirm it once the user wants to replace it, at ${stage}`, async () => {
        const { request } = await open(stage);
        element.session?.changeAddress();
        expect(await asks(request)).to.equal(false);
        await element.session?.finish();
        expect(element.state).to.equal("awaiting-input");
      });

      it(`doesn't confirm it while the other message is requested, or after its rejection, at ${stage}`, async () => {
        const { request, ask, next } = await open(stage);
        const { passed, open: reject } = gate();
        next(async () => passed.then(() => Promise.reject(IN_USE)));
        const asked = ask("right");
        expect(await asks(request)).to.equal(false);
        reject();
        await asked;
        expect(await asks(request)).to.equal(false);
      });

      it(`control: confirms the other one, at ${stage}`, async () => {
        const { request, ask } = await open(stage);
        element.session?.changeAddress();
        await ask("right");
        await element.poll();
        await ui.expectDone();
        const { threepid_creds } = request.sent.at(-1) ?? {};
        expect(threepid_creds).to.have.property("sid", "right");
      });

      it(`control: confirms it if only a repeated message is rejected, at ${stage}`, async () => {
        const { ask, next } = await open(stage);
        next(() => Promise.reject(IN_USE));
        await ask("wrong");
        await element.poll();
        await ui.expectDone();
      });
    }
  });

  describe("with a signal", () => {
    it("ends without affecting others, in the queue or at a stage", async () => {
      await make();
      element.client = ALICE.client;
      const aborts = [new AbortController(), new AbortController()] as const;
      const [first, second] = [protectedRequest([Password]), protectedRequest([Password])];
      const running = call(first, { signal: aborts[0].signal });
      const waiting = call(second, { signal: aborts[1].signal });
      ui.follow(running);
      await ui.asked();
      aborts[1].abort();
      await breathe();
      expect(element.state).to.equal("awaiting-input");
      aborts[0].abort();
      expect(await running).to.have.property("code", "cancelled");
      expect(await waiting).to.have.property("code", "cancelled");
      expect(second.sent).to.deep.equal([]);
    });
  });
});
