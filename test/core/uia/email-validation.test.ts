import { expect } from "@open-wc/testing";
import { UiaError } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  ADDRESS,
  Conversation,
  Held,
  PASSWORD,
  RESULT,
  SECRET,
  SESSION,
  ask,
  begun,
  deepFreeze,
  flowsOf,
  idle,
  matrixError,
  refuse,
  succeed,
} from "./uia-harness.ts";

const EMAIL = "m.login.email.identity";
const TERMS = "m.login.terms";
const FLOW = [[TERMS, EMAIL]];
const AT_EMAIL = ask(FLOW, { completed: [TERMS] });
const NOT_YET = ask(FLOW, {
  completed: [TERMS],
  errcode: "M_UNAUTHORIZED",
  error: "Unable to get validated threepid",
});
const IN_USE = matrixError(400, { errcode: "M_THREEPID_IN_USE", error: "Already in use" });
const inputs = { emailAddress: ADDRESS };

/** A `requestEmailToken` that answers in turn; what is an `Error` is thrown. */
const tokens = (...answers: unknown[]) => ({
  requestEmailToken: async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as { sid: string };
  },
});

describe("InteractiveAuth: the e-mail stage", () => {
  it("asks for the message when it comes up, and not before", async () => {
    const conversation = await begun([ask(FLOW), AT_EMAIL], { inputs });
    expect(conversation.mails).to.deep.equal([]);
    await conversation.submit({ type: TERMS });

    expect(conversation.mails).to.deep.equal([
      { email: ADDRESS, secret: SECRET, attempt: 1, session: SESSION },
    ]);
  });

  it("is told first, then with the session of the validation", async () => {
    const { told, auth } = await begun([AT_EMAIL], { inputs });

    expect(told).to.deep.equal([
      [EMAIL, {}],
      [EMAIL, { emailSid: "sid-1" }],
    ]);
    expect(auth.getEmailSid()).to.equal("sid-1");
  });

  it("asks for the message also where the caller had the 401 already", async () => {
    const authData = deepFreeze({ flows: flowsOf([EMAIL]), session: "from-before" });
    const { mails, told, requests } = await begun([], { inputs, authData });

    expect(mails.map(({ session }) => session)).to.deep.equal(["from-before"]);
    expect(told.at(-1)).to.deep.equal([EMAIL, { emailSid: "sid-1" }]);
    expect(requests).to.deep.equal([]);
  });

  it("says null for the session, where the homeserver keeps none", async () => {
    const { mails } = await begun([ask([[EMAIL]], { session: undefined })], { inputs });
    expect(mails[0]?.session).to.be.null;
  });

  it("asks for no message where none was given an address, and takes one later", async () => {
    const conversation = await begun([AT_EMAIL]);
    expect(conversation.mails).to.deep.equal([]);
    expect(conversation.told).to.deep.equal([[EMAIL, {}]]);
    await conversation.auth.requestEmailToken("bob@example.org");

    expect(conversation.mails.map(({ email }) => email)).to.deep.equal(["bob@example.org"]);
    expect(conversation.lastStatus).to.deep.equal({ emailSid: "sid-1" });
  });

  it("refuses to ask for a message to nobody", async () => {
    const { auth, mails } = await begun([AT_EMAIL]);
    for (const address of [undefined, ""]) {
      const error = await rejectionOf(auth.requestEmailToken(address));
      expect(error).to.be.instanceOf(UiaError).and.include({
        code: "email_missing",
        message: "No e-mail address is given",
      });
    }
    expect(mails).to.deep.equal([]);
  });

  it("asks for no message where its validation is resumed", async () => {
    const { mails, told } = await begun([AT_EMAIL], { inputs, emailSid: "sid-0" });

    expect(mails).to.deep.equal([]);
    expect(told).to.deep.equal([[EMAIL, { emailSid: "sid-0" }]]);
  });

  it("asks for no message where the caller says in that moment that it was sent", async () => {
    const conversation: Conversation = new Conversation([AT_EMAIL], {
      inputs,
      stateUpdated: () => conversation.auth.setEmailSid("sid-9"),
    });
    await conversation.begin();

    expect(conversation.mails).to.deep.equal([]);
    expect(conversation.auth.getEmailSid()).to.equal("sid-9");
  });

  it("asks for one message however often the stage is refused", async () => {
    const conversation = await begun([AT_EMAIL, NOT_YET, NOT_YET], { inputs });
    await conversation.submit({});
    await conversation.submit({});

    expect(conversation.mails).to.have.length(1);
    expect(conversation.lastStatus).to.deep.equal({
      errcode: "M_UNAUTHORIZED",
      error: "Unable to get validated threepid",
      emailSid: "sid-1",
    });
  });

  it("tells no other stage of the validation", async () => {
    const conversation = await begun(
      [ask([[EMAIL, TERMS]]), ask([[EMAIL, TERMS]], { completed: [EMAIL] })],
      {
        inputs,
      },
    );
    await conversation.poll();

    expect(conversation.told.at(-1)).to.deep.equal([TERMS, {}]);
  });

  it("tells of a message that is sent again, and counts it", async () => {
    const conversation = await begun([AT_EMAIL], { inputs, ...tokens({ sid: "1" }, { sid: "2" }) });
    await conversation.auth.requestEmailToken();

    expect(conversation.mails.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    expect(conversation.told.at(-1)).to.deep.equal([EMAIL, { emailSid: "2" }]);
  });

  it("keeps the address that was given last", async () => {
    const conversation = await begun([AT_EMAIL], { inputs });
    await conversation.auth.requestEmailToken("bob@example.org");
    await conversation.auth.requestEmailToken();

    expect(conversation.mails.map(({ email }) => email)).to.deep.equal([
      ADDRESS,
      "bob@example.org",
      "bob@example.org",
    ]);
  });

  it("has no `this`: requestEmailToken can be handed on", async () => {
    const { auth, mails } = new Conversation([], { inputs });
    const { requestEmailToken } = auth;
    await requestEmailToken();
    expect(mails).to.deep.equal([{ email: ADDRESS, secret: SECRET, attempt: 1, session: null }]);
  });

  it("tells nobody of a message that is asked for at another stage", async () => {
    const conversation = await begun([ask(FLOW), AT_EMAIL], { inputs });
    await conversation.auth.requestEmailToken();
    expect(conversation.told).to.deep.equal([[TERMS, {}]]);
    await conversation.submit({ type: TERMS });

    expect(conversation.mails).to.have.length(1);
    expect(conversation.told.at(-1)).to.deep.equal([EMAIL, { emailSid: "sid-1" }]);
  });

  describe("where the message cannot be sent", () => {
    it("tells why, and the attempt goes on", async () => {
      const conversation = await begun([AT_EMAIL, succeed], { inputs, ...tokens(IN_USE) });
      expect(conversation.told).to.deep.equal([
        [EMAIL, {}],
        [EMAIL, { errcode: "M_THREEPID_IN_USE", error: "Already in use" }],
      ]);
      expect(conversation.outcome).to.be.undefined;
      expect(conversation.auth.getEmailSid()).to.be.undefined;
      await conversation.submit({});

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("does not ask again by itself, however often the stage is refused", async () => {
      const conversation = await begun([AT_EMAIL, NOT_YET], { inputs, ...tokens(IN_USE) });
      await conversation.submit({});

      expect(conversation.mails).to.have.length(1);
      expect(conversation.lastStatus).to.have.property("errcode", "M_UNAUTHORIZED");
    });

    it("can ask again, with the same number: only what was sent is counted", async () => {
      const { auth, mails, lastStatus } = await begun([AT_EMAIL], {
        inputs,
        ...tokens(IN_USE, new TypeError("Failed to fetch"), { sid: "1" }, { sid: "2" }),
      });
      expect(lastStatus).to.have.property("errcode", "M_THREEPID_IN_USE");
      expect(await rejectionOf(auth.requestEmailToken())).to.be.instanceOf(TypeError);
      await auth.requestEmailToken();
      await auth.requestEmailToken();

      expect(mails.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1, 2]);
    });

    it("rejects a call of requestEmailToken() with what the caller's own rejects with", async () => {
      const { auth } = new Conversation([], { inputs, ...tokens(IN_USE) });
      expect(await rejectionOf(auth.requestEmailToken())).to.equal(IN_USE);
    });

    it("rejects where the caller's own throws at once", async () => {
      const thrown = new Error("not yet");
      const { auth } = new Conversation([], {
        inputs,
        requestEmailToken: () => {
          throw thrown;
        },
      });
      expect(await rejectionOf(auth.requestEmailToken())).to.equal(thrown);
    });

    for (const answer of [null, undefined, {}, { sid: "" }, { sid: 7 }, "sid"]) {
      it(`takes ${JSON.stringify(answer)} for no session of a validation, and counts nothing`, async () => {
        const { auth, mails, lastStatus } = await begun([AT_EMAIL], {
          inputs,
          ...tokens(answer, { sid: "1" }),
        });
        expect(lastStatus).to.deep.equal({
          errcode: "validation_invalid",
          error: "The answer names no validation session",
        });
        await auth.requestEmailToken();
        expect(mails.map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
      });
    }

    it("tells no other stage why", async () => {
      const held = new Held();
      const flow = [[EMAIL, TERMS]];
      const conversation = await begun([ask(flow), ask(flow, { completed: [EMAIL] })], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      // The person followed the link of an earlier message.
      conversation.auth.setEmailSid("sid-0");
      await conversation.poll();
      expect(conversation.told.at(-1)).to.deep.equal([TERMS, {}]);
      await held.release(refuse(400, { errcode: "M_THREEPID_IN_USE" }));

      expect(conversation.told).to.have.length(2);
    });

    it("tells why once, where a further attempt waits for the same message", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL, AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      conversation.auth.cancel();
      await idle();
      await conversation.begin();
      await held.release(refuse(400, { errcode: "M_THREEPID_IN_USE" }));

      expect(conversation.mails).to.have.length(1);
      expect(conversation.told.slice(1).map(([, { errcode }]) => errcode)).to.deep.equal([
        undefined,
        "M_THREEPID_IN_USE",
      ]);
    });

    it("tells nobody why after the end", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      conversation.auth.cancel();
      await held.release(refuse(500));

      expect(conversation.told).to.deep.equal([[EMAIL, {}]]);
    });
  });

  it("ends the attempt with what the listener throws on hearing of the message", async () => {
    const thrown = new Error("a bug in the page");
    const { error } = await begun([AT_EMAIL], {
      inputs,
      stateUpdated: (_, { emailSid }) => {
        if (emailSid) throw thrown;
      },
    });
    expect(error).to.equal(thrown);
  });

  describe("while a message is being asked for", () => {
    it("asks for no other: concurrent calls are one request", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      const calls = [conversation.auth.requestEmailToken(), conversation.auth.requestEmailToken()];
      await idle();
      expect(conversation.mails).to.have.length(1);
      await held.release(() => ({ sid: "sid-1" }));
      await Promise.all(calls);

      expect(conversation.mails).to.have.length(1);
      expect(conversation.told).to.have.length(2);
      await conversation.auth.requestEmailToken();
      expect(conversation.mails).to.have.length(2);
    });

    it("asks for another address's message after it, so that the last address counts", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async (email) => {
          await held.answer(null, false);
          return { sid: `of ${email}` };
        },
      });
      const other = conversation.auth.requestEmailToken("other@example.org");
      await idle();
      expect(conversation.mails).to.have.length(1);
      await held.release(() => undefined);
      await other;

      expect(conversation.mails).to.have.length(2);
      expect(conversation.auth.getEmailSid()).to.equal("of other@example.org");
    });

    it("asks for no other where the one before it has just been sent", async () => {
      const [first, second] = [new Held(), new Held()];
      const answers = [first.answer, second.answer];
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await answers.shift()?.(null, false)) as { sid: string },
      });
      const other = conversation.auth.requestEmailToken("other@example.org");
      await first.release(() => ({ sid: "sid-1" }));
      const again = conversation.auth.requestEmailToken("other@example.org");
      await second.release(() => ({ sid: "sid-2" }));
      await Promise.all([other, again]);

      expect(conversation.mails).to.have.length(2);
      expect(conversation.auth.getEmailSid()).to.equal("sid-2");
    });

    it("is busy, without a break", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      expect(conversation.busy).to.deep.equal([true]);
      await held.release(() => ({ sid: "sid-1" }));

      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("lets the stage be polled by nobody: there is nothing yet that proves anything", async () => {
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: () => new Promise(() => undefined),
      });
      await conversation.poll();
      expect(conversation.requests).to.have.length(1);
    });

    it("is not busy any more after the end", async () => {
      const held = new Held();
      const conversation = await begun([AT_EMAIL], {
        inputs,
        requestEmailToken: async () => (await held.answer(null, false)) as { sid: string },
      });
      conversation.auth.cancel();
      expect(conversation.busy).to.deep.equal([true, false]);
      await held.release(() => ({ sid: "sid-1" }));

      expect(conversation.busy).to.deep.equal([true, false]);
      expect(conversation.told).to.deep.equal([[EMAIL, {}]]);
    });
  });

  describe("in a further attempt", () => {
    it("keeps its validation after a failure", async () => {
      const conversation = await begun([AT_EMAIL, refuse(500)], { inputs });
      await conversation.submit({});
      await conversation.begin();

      expect(conversation.mails).to.have.length(1);
      expect(conversation.told.at(-1)).to.deep.equal([EMAIL, { emailSid: "sid-1" }]);
    });

    it("still gives the validation's session after a success", async () => {
      const conversation = await begun([AT_EMAIL, succeed], { inputs });
      await conversation.poll();
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
      expect(conversation.auth.getEmailSid()).to.equal("sid-1");
    });

    it("asks for another message after a success: the homeserver has used up the first", async () => {
      const conversation = await begun([AT_EMAIL, succeed, AT_EMAIL], {
        inputs,
        ...tokens({ sid: "1" }, { sid: "2" }),
      });
      await conversation.poll();
      await conversation.begin();

      expect(conversation.mails.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
      expect(conversation.told.slice(-2)).to.deep.equal([
        [EMAIL, {}],
        [EMAIL, { emailSid: "2" }],
      ]);
    });
  });

  describe("the client secret", () => {
    it("is the caller's, where a validation is resumed", () => {
      expect(new Conversation([]).auth.getClientSecret()).to.equal(SECRET);
    });

    it("is the client's, where it makes one", () => {
      const { auth } = new Conversation([], {
        clientSecret: undefined,
        matrixClient: { generateClientSecret: () => "made-by-the-client" },
      });
      expect(auth.getClientSecret()).to.equal("made-by-the-client");
    });

    it("is of the characters that homeservers accept, and another for each object", () => {
      const [a, b] = [0, 1].map(() => new Conversation([], { clientSecret: undefined }).auth);
      expect(a?.getClientSecret()).to.match(/^[0-9A-Za-z]{32}$/);
      expect(a?.getClientSecret()).to.not.equal(b?.getClientSecret());
    });

    it("stays the same", async () => {
      const conversation = await begun([AT_EMAIL, succeed, AT_EMAIL], {
        inputs,
        clientSecret: undefined,
      });
      const secret = conversation.auth.getClientSecret();
      await conversation.poll();
      await conversation.begin();

      expect(conversation.mails.map((mail) => mail.secret)).to.deep.equal([secret, secret]);
      expect(conversation.requests[1]?.["threepid_creds"]).to.include({ client_secret: secret });
    });
  });

  it("gives its credentials to a stage only that asks for them", async () => {
    const flow = [[EMAIL, PASSWORD.type]];
    const conversation = await begun([ask(flow), ask(flow, { completed: [EMAIL] }), ask(flow)], {
      inputs,
    });
    await conversation.poll();
    await conversation.poll();

    expect(conversation.requests[2]).to.deep.equal({ session: SESSION });
  });
});
