import { expect } from "@open-wc/testing";
import { AuthType, InteractiveAuth, UiaError } from "matrix-auth-elements/core";
import {
  Conversation,
  PASSWORD,
  RESULT,
  ask,
  begun,
  deepFreeze,
  flowsOf,
  idle,
  refuse,
  succeed,
} from "./uia-harness.ts";

const TERMS = "m.login.terms";
const CAPTCHA = "m.login.recaptcha";
const DUMMY = "m.login.dummy";
const LOGIN = [[PASSWORD.type]];
const WRONG = { errcode: "M_FORBIDDEN", error: "Invalid password" };

describe("InteractiveAuth: stages and their status", () => {
  it("have the names that are used on the wire", () => {
    expect(AuthType).to.deep.equal({
      Password: "m.login.password",
      Recaptcha: "m.login.recaptcha",
      Terms: "m.login.terms",
      Email: "m.login.email.identity",
      Msisdn: "m.login.msisdn",
      Sso: "m.login.sso",
      SsoUnstable: "org.matrix.login.sso",
      Dummy: "m.login.dummy",
      RegistrationToken: "m.login.registration_token",
      UnstableRegistrationToken: "org.matrix.msc3231.login.registration_token",
      OAuth: "m.oauth",
      CrossSigningReset: "org.matrix.cross_signing_reset",
    });
  });

  it("are told one after the other, in the order of the flow", async () => {
    const flow = [[TERMS, CAPTCHA, PASSWORD.type]];
    const conversation = await begun([
      ask(flow),
      ask(flow, { completed: [TERMS] }),
      ask(flow, { completed: [TERMS, CAPTCHA] }),
    ]);
    await conversation.submit({ type: TERMS });
    await conversation.submit({ type: CAPTCHA });

    expect(conversation.told).to.deep.equal([
      [TERMS, {}],
      [CAPTCHA, {}],
      [PASSWORD.type, {}],
    ]);
  });

  it("are known by nothing before the first answer", async () => {
    const { auth } = new Conversation([]);

    expect(auth.getSessionId()).to.be.null;
    expect(auth.getChosenFlow()).to.be.undefined;
    expect(auth.getStageParams(TERMS)).to.be.undefined;
    expect([...auth.getCompletedStages()]).to.deep.equal([]);
    expect(auth.getEmailSid()).to.be.undefined;
  });

  it("are completed in whatever order the homeserver lists them", async () => {
    const flow = [[TERMS, CAPTCHA, PASSWORD.type]];
    const conversation = await begun([ask(flow, { completed: [PASSWORD.type, TERMS, TERMS] })]);

    expect(conversation.stages).to.deep.equal([CAPTCHA]);
    expect([...conversation.auth.getCompletedStages()]).to.have.members([PASSWORD.type, TERMS]);
  });

  it("stay completed where an answer leaves them out", async () => {
    const flow = [[TERMS, PASSWORD.type]];
    const conversation = await begun([ask(flow, { completed: [TERMS] }), ask(flow, WRONG)]);
    await conversation.submit(PASSWORD);

    expect(conversation.stages).to.deep.equal([PASSWORD.type, PASSWORD.type]);
  });

  it("are open again where the homeserver says so", async () => {
    const flow = [[TERMS, PASSWORD.type]];
    const conversation = await begun([
      ask(flow, { completed: [TERMS] }),
      ask(flow, { completed: [] }),
    ]);
    await conversation.submit(PASSWORD);

    expect(conversation.stages).to.deep.equal([PASSWORD.type, TERMS]);
  });

  it("are open again in another session, whose answer lists none", async () => {
    const flow = [[TERMS, PASSWORD.type]];
    const conversation = await begun([
      ask(flow, { completed: [TERMS] }),
      ask(flow, { session: "2" }),
    ]);
    await conversation.submit(PASSWORD);

    expect(conversation.stages).to.deep.equal([PASSWORD.type, TERMS]);
  });

  it("are told of again with what the homeserver refused, and the attempt goes on", async () => {
    const conversation = await begun([ask(LOGIN), ask(LOGIN, WRONG), succeed]);
    await conversation.submit(PASSWORD);
    expect(conversation.told[1]).to.deep.equal([PASSWORD.type, WRONG]);
    expect(conversation.outcome).to.be.undefined;
    await conversation.submit(PASSWORD);

    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("are told of without an error, where the homeserver names none", async () => {
    const conversation = await begun([
      ask(LOGIN),
      ask(LOGIN),
      ask(LOGIN, { errcode: "", error: 7 }),
      ask(LOGIN, { errcode: "M_FORBIDDEN" }),
    ]);
    for (let i = 0; i < 3; i += 1) await conversation.submit(PASSWORD);

    expect(conversation.told.map(([, status]) => status)).to.deep.equal([
      {},
      {},
      {},
      { errcode: "M_FORBIDDEN" },
    ]);
  });

  it("are told of before submitAuthDict() resolves", async () => {
    const conversation = await begun([ask(LOGIN), ask(LOGIN, WRONG)]);
    await conversation.auth.submitAuthDict(PASSWORD);

    expect(conversation.lastStatus).to.deep.equal(WRONG);
  });

  it("may be submitted in the moment in which they are told", async () => {
    const flow = [[TERMS, CAPTCHA]];
    const conversation: Conversation = new Conversation(
      [ask(flow), ask(flow, { completed: [TERMS] }), succeed],
      { stateUpdated: (type) => void conversation.auth.submitAuthDict({ type }) },
    );
    await conversation.begin();

    expect(conversation.requests.map((auth) => auth?.type)).to.deep.equal([
      undefined,
      TERMS,
      CAPTCHA,
    ]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
    expect(conversation.mostInFlight).to.equal(1);
    expect(conversation.busy).to.deep.equal([true, false]);
  });

  it("are no stages, where a 401 has no flows: it rejects", async () => {
    const noToken = refuse(401, { errcode: "M_UNKNOWN_TOKEN", error: "Invalid access token" });
    const first = await begun([noToken]);
    expect(first.error).to.have.property("errcode", "M_UNKNOWN_TOKEN");
    expect(first.told).to.deep.equal([]);

    const later = await begun([ask(LOGIN), noToken]);
    await later.submit(PASSWORD);
    expect(later.error).to.have.property("errcode", "M_UNKNOWN_TOKEN");
    expect(later.told).to.have.length(1);
  });

  for (const status of [400, 403, 404, 409, 500, 502]) {
    it(`are no stages, where ${status} has flows: it rejects`, async () => {
      const { error, told } = await begun([refuse(status, { flows: flowsOf(["m.login.sso"]) })]);
      expect(error).to.have.property("httpStatus", status);
      expect(told).to.deep.equal([]);
    });
  }

  it("end the attempt with what the listener throws, and nothing more is sent", async () => {
    const thrown = new Error("a bug in the page");
    const conversation = await begun([ask(LOGIN)], {
      stateUpdated: () => {
        throw thrown;
      },
    });
    await conversation.poll();

    expect(conversation.error).to.equal(thrown);
    expect(conversation.requests).to.have.length(1);
    expect(conversation.busy).to.deep.equal([true, false]);
  });

  describe("with parameters", () => {
    const params = deepFreeze({ [CAPTCHA]: { public_key: "key" }, [TERMS]: { policies: {} } });

    it("are read by their type", async () => {
      const { auth } = await begun([ask([[CAPTCHA]], { params })]);
      expect(auth.getStageParams(CAPTCHA)).to.deep.equal({ public_key: "key" });
      expect(auth.getStageParams(PASSWORD.type)).to.be.undefined;
    });

    it("are read from the 401 that the caller has", async () => {
      const authData = deepFreeze({ flows: flowsOf([CAPTCHA]), params });
      const { auth } = await begun([], { authData });
      expect(auth.getStageParams(CAPTCHA)).to.deep.equal({ public_key: "key" });
    });

    for (const left of [undefined, null, "none", []]) {
      it(`keep them where an answer has ${JSON.stringify(left)} for them`, async () => {
        const conversation = await begun([
          ask([[CAPTCHA]], { params }),
          ask([[CAPTCHA]], { ...WRONG, params: left }),
        ]);
        await conversation.submit({ type: CAPTCHA });
        expect(conversation.auth.getStageParams(CAPTCHA)).to.deep.equal({ public_key: "key" });
      });
    }

    it("keep them where a poll is answered without flows", async () => {
      const conversation = await begun([ask([[TERMS]], { params }), refuse(502, {})]);
      await conversation.poll();
      expect(conversation.auth.getStageParams(TERMS)).to.deep.equal({ policies: {} });
    });

    it("take new ones from an answer", async () => {
      const conversation = await begun([
        ask([[CAPTCHA]], { params }),
        ask([[CAPTCHA]], { params: { [CAPTCHA]: { public_key: "new" } } }),
      ]);
      await conversation.submit({ type: CAPTCHA });
      expect(conversation.auth.getStageParams(CAPTCHA)).to.deep.equal({ public_key: "new" });
      expect(conversation.auth.getStageParams(TERMS)).to.be.undefined;
    });
  });

  describe("m.login.dummy", () => {
    it("is submitted by itself, and told to nobody", async () => {
      const conversation = await begun([ask([[DUMMY]], { session: "s" }), succeed]);

      expect(conversation.requests).to.deep.equal([null, { type: DUMMY, session: "s" }]);
      expect(conversation.backgrounds).to.deep.equal([false, false]);
      expect(conversation.told).to.deep.equal([]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("is submitted by itself after the stages before it, and before those behind it", async () => {
      const flow = [[TERMS, DUMMY, CAPTCHA]];
      const conversation = await begun([
        ask(flow),
        ask(flow, { completed: [TERMS] }),
        ask(flow, { completed: [DUMMY, TERMS] }),
        succeed,
      ]);
      await conversation.submit({ type: TERMS });
      expect(conversation.stages).to.deep.equal([TERMS, CAPTCHA]);
      await conversation.submit({ type: CAPTCHA });

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
      expect(conversation.busy).to.deep.equal([true, false, true, false, true, false]);
    });

    it("is submitted where a poll finds the stage before it completed, and is busy then", async () => {
      const flow = [["m.login.sso", DUMMY]];
      const conversation = await begun([
        ask(flow),
        ask(flow, { completed: ["m.login.sso"] }),
        succeed,
      ]);
      await conversation.poll();

      expect(conversation.backgrounds).to.deep.equal([false, true, false]);
      expect(conversation.busy).to.deep.equal([true, false, true, false]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("ends with dummy_refused where the homeserver asks for it again, and never loops", async () => {
      const conversation = await begun([ask([[DUMMY]]), ask([[DUMMY]], WRONG)]);

      expect(conversation.error).to.be.instanceOf(UiaError).and.include({
        code: "dummy_refused",
        message: "The homeserver refuses m.login.dummy",
      });
      expect((conversation.error as Error).cause).to.have.property("errcode", "M_FORBIDDEN");
      expect(conversation.requests).to.have.length(2);
    });

    it("ends with dummy_refused where stages come between its refusals, and never loops", async () => {
      const conversation = await begun([
        ask([[DUMMY]]),
        ask([[TERMS], [DUMMY, TERMS]]),
        ask([[DUMMY]]),
      ]);
      await conversation.submit({ type: TERMS });

      expect(conversation.error).to.have.property("code", "dummy_refused");
      expect(conversation.requests).to.have.length(3);
    });

    for (const status of [400, 403, 500]) {
      it(`ends with the homeserver's ${status}, and nothing is sent after it`, async () => {
        const conversation = await begun([ask([[DUMMY]]), refuse(status, { errcode: "M_LIMIT" })]);
        await idle();

        expect(conversation.error).to.include({ httpStatus: status, errcode: "M_LIMIT" });
        expect(conversation.requests).to.have.length(2);
      });
    }

    it("is tried once more in a further attempt", async () => {
      const conversation = await begun([ask([[DUMMY]]), refuse(500), succeed]);
      await conversation.begin();

      expect(conversation.requests).to.have.length(3);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });
  });

  describe("busyChanged", () => {
    it("is told on each change, and only then", async () => {
      const conversation = await begun([ask(LOGIN), ask(LOGIN, WRONG), succeed]);
      expect(conversation.busy).to.deep.equal([true, false]);
      await conversation.submit(PASSWORD);
      await conversation.submit(PASSWORD);

      expect(conversation.busy).to.deep.equal([true, false, true, false, true, false]);
    });

    it("is told once for submits that wait for each other", async () => {
      const conversation = await begun([ask(LOGIN), ask(LOGIN), ask(LOGIN), ask(LOGIN)]);
      await Promise.all([1, 2, 3].map(() => conversation.submit(PASSWORD)));

      expect(conversation.busy).to.deep.equal([true, false, true, false]);
    });

    it("is told in the moment of the call", async () => {
      const conversation = await begun([ask(LOGIN), succeed]);
      void conversation.auth.submitAuthDict(PASSWORD);
      expect(conversation.busy.at(-1)).to.be.true;
      await idle();
    });

    it("is told before anybody hears of the outcome", async () => {
      const conversation = new Conversation([succeed]);
      await conversation.auth.attemptAuth().then(() => {
        expect(conversation.busy).to.deep.equal([true, false]);
      });
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("is silent about polls, and about submits in the background", async () => {
      const flow = [["m.login.sso"]];
      const conversation = await begun([ask(flow), ask(flow), ask(flow)]);
      await conversation.poll();
      await conversation.submit({ type: "m.login.sso" }, true);

      expect(conversation.backgrounds).to.deep.equal([false, true, true]);
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("ends the attempt with what it throws", async () => {
      const thrown = new Error("a bug in the page");
      const conversation = await begun([succeed], {
        busyChanged: (busy) => {
          if (busy) throw thrown;
        },
      });
      expect(conversation.error).to.equal(thrown);
      expect(conversation.requests).to.deep.equal([]);
    });

    it("may be left out", async () => {
      const auth = new InteractiveAuth({
        matrixClient: {},
        doRequest: async (authData) => (authData ? RESULT : ask(LOGIN)(authData, false)),
        stateUpdated: () => void auth.submitAuthDict(PASSWORD),
        requestEmailToken: async () => ({ sid: "1" }),
      });
      expect(await auth.attemptAuth()).to.equal(RESULT);
    });

    it("may be left out where a person takes their time", async () => {
      const auth = new InteractiveAuth({
        matrixClient: {},
        doRequest: async (authData) => (authData ? RESULT : ask(LOGIN)(authData, false)),
        stateUpdated: () => undefined,
        requestEmailToken: async () => ({ sid: "1" }),
      });
      const result = auth.attemptAuth();
      await idle();
      await auth.submitAuthDict(PASSWORD);
      expect(await result).to.equal(RESULT);
    });
  });
});
