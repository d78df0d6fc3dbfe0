import { expect } from "@open-wc/testing";
import { NoAuthFlowFoundError, UiaError } from "matrix-auth-elements/core";
import {
  Conversation,
  PASSWORD,
  RESULT,
  SESSION,
  ask,
  begun,
  deepFreeze,
  flowsOf,
  refuse,
  succeed,
} from "./uia-harness.ts";

const LOGIN = [[PASSWORD.type]];
const MEGABYTE = "x".repeat(1 << 20);

/** As a server's text would be parsed: `__proto__` is a member like any other. */
const parsed = (text: string): object => JSON.parse(text) as object;

describe("InteractiveAuth: what a hostile homeserver sends", () => {
  for (const flows of [undefined, null, "all", 7, {}, { length: 1, 0: { stages: ["x"] } }]) {
    it(`rejects a 401 whose flows are ${JSON.stringify(flows)}`, async () => {
      const { error, told } = await begun([refuse(401, { flows, session: SESSION })]);
      expect(error).to.have.property("httpStatus", 401);
      expect(told).to.deep.equal([]);
    });
  }

  for (const body of [null, [], "unauthorized", 7, [{ flows: [] }]]) {
    it(`rejects a 401 whose body is ${JSON.stringify(body)}`, async () => {
      expect((await begun([refuse(401, body)])).error).to.have.property("httpStatus", 401);
    });
  }

  for (const [name, flow] of Object.entries({
    "is null": null,
    "is no object": "m.login.password",
    "is a list": ["m.login.password"],
    "has no stages": {},
    "has no list of stages": { stages: "m.login.password" },
    "has an empty list of stages": { stages: [] },
    "has a stage that is a number": { stages: ["m.login.sso", 7] },
    "has a stage that is null": { stages: [null] },
    "has a stage that is an object": { stages: [{ toString: "m.login.sso" }] },
    "has a stage without a name": { stages: [""] },
    "has a stage with an endless name": { stages: [MEGABYTE] },
    "has thousands of stages": { stages: Array.from({ length: 5000 }, (_, n) => `s${n}`) },
  })) {
    it(`leaves out a flow that ${name}`, async () => {
      const { auth } = await begun([refuse(401, { flows: [flow, ...flowsOf(...LOGIN)] })]);
      expect(auth.getChosenFlow()).to.deep.equal({ stages: LOGIN[0] });

      const alone = await begun([refuse(401, { flows: [flow] })]);
      expect(alone.error).to.be.instanceOf(NoAuthFlowFoundError);
      expect((alone.error as NoAuthFlowFoundError).flows).to.deep.equal([]);
    });
  }

  it("accepts a flow of 32 stages", async () => {
    const stages = Array.from({ length: 32 }, (_, n) => `s${n}`);
    expect((await begun([ask([stages])])).stages).to.deep.equal(["s0"]);
  });

  it("accepts a stage with a name of 255 characters, and leaves out a flow with one of 256", async () => {
    const [long, tooLong] = ["s".repeat(255), "t".repeat(256)];
    expect((await begun([ask([[tooLong], [long, PASSWORD.type]])])).stages).to.deep.equal([long]);
  });

  it("does not choose a flow that comes after a hundred thousand others", async () => {
    const flows = flowsOf(...Array.from({ length: 100_000 }, (_, n) => [`s${n}`, "more"]), [
      "short",
    ]);
    const { auth, error } = await begun([refuse(401, { flows })]);
    expect(error).to.be.undefined;
    expect(auth.getChosenFlow()).to.deep.equal({ stages: ["s0", "more"] });
  });

  it("reports at most 64 flows", async () => {
    const flows = flowsOf(...Array.from({ length: 5000 }, (_, n) => [`s${n}`]));
    const { error } = await begun([refuse(401, { flows })], { inputs: { emailAddress: "a@b.c" } });
    expect((error as NoAuthFlowFoundError).flows).to.have.length(64);
  });

  for (const session of [7, null, {}, ["s"], true]) {
    it(`takes ${JSON.stringify(session)} for no session`, async () => {
      const conversation = await begun([
        refuse(401, { flows: flowsOf(...LOGIN), session }),
        succeed,
      ]);
      expect(conversation.auth.getSessionId()).to.be.null;
      await conversation.submit(PASSWORD);
      expect(conversation.requests[1]).to.deep.equal(PASSWORD);
    });
  }

  for (const completed of [null, "m.login.password", { 0: "m.login.password" }, [7, null, {}]]) {
    it(`takes ${JSON.stringify(completed)} for no completed stage`, async () => {
      const { stages, auth } = await begun([ask(LOGIN, { completed })]);
      expect(stages).to.deep.equal([PASSWORD.type]);
      expect([...auth.getCompletedStages()]).to.deep.equal([]);
    });
  }

  it("cuts what it says of a refusal after 1000 characters", async () => {
    const conversation = await begun([
      ask(LOGIN),
      ask(LOGIN, { errcode: MEGABYTE, error: MEGABYTE }),
    ]);
    await conversation.submit(PASSWORD);

    expect(conversation.lastStatus?.error).to.equal("x".repeat(1000));
    expect(conversation.lastStatus?.errcode).to.have.length.at.most(1000);
  });

  it("cuts what it says of a failure after 1000 characters", async () => {
    const conversation = await begun([ask([["m.login.sso"]]), refuse(502, { error: MEGABYTE })]);
    await conversation.poll();

    expect(conversation.lastStatus?.error).to.have.length(1000);
  });

  for (const [errcode, error] of [
    [7, {}],
    [null, []],
    [{ toString: "x" }, true],
  ]) {
    it(`tells no text where it sends ${JSON.stringify([errcode, error])}`, async () => {
      const conversation = await begun([ask(LOGIN), ask(LOGIN, { errcode, error })]);
      await conversation.submit(PASSWORD);
      expect(conversation.lastStatus).to.deep.equal({});
    });
  }

  it("keeps markup what it is: text", async () => {
    const error = "<img src=x onerror=alert(1)>";
    const conversation = await begun([ask(LOGIN), ask(LOGIN, { error })]);
    await conversation.submit(PASSWORD);
    expect(conversation.lastStatus).to.deep.equal({ error });
  });

  describe("under the names of an object's own machinery", () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    afterEach(() => {
      expect(({} as Record<string, unknown>)["polluted"], "Object.prototype").to.be.undefined;
      expect(Object.prototype.toString.call({})).to.equal("[object Object]");
    });

    for (const name of names) {
      it(`is a parameter like any other: ${name}`, async () => {
        const params = parsed(`{"${name}": {"polluted": true}}`);
        const { auth } = await begun([ask([["m.login.terms"]], { params })]);

        expect(auth.getStageParams(name)).to.deep.equal({ polluted: true });
        expect(auth.getStageParams("polluted")).to.be.undefined;
      });

      it(`is no parameter where none was sent: ${name}`, async () => {
        const { auth } = await begun([ask(LOGIN)]);
        expect(auth.getStageParams(name)).to.be.undefined;
      });

      it(`is a stage like any other: ${name}`, async () => {
        const flow = [[name, PASSWORD.type]];
        const conversation = await begun([ask(flow), ask(flow, { completed: [name] }), succeed]);
        await conversation.submit({ type: name, threepid_creds: { polluted: true } });
        await conversation.submit(PASSWORD);

        expect(conversation.stages).to.deep.equal([name, PASSWORD.type]);
        expect(conversation.outcome).to.deep.equal({ value: RESULT });
      });
    }

    it("changes nothing at the top of the body", async () => {
      const body = parsed(
        `{"flows": [{"stages": ["m.login.sso"], "__proto__": {"polluted": true}}],
          "__proto__": {"polluted": true, "session": "inherited"}}`,
      );
      const { auth, stages } = await begun([refuse(401, body)]);
      expect(stages).to.deep.equal(["m.login.sso"]);
      expect(auth.getSessionId()).to.be.null;

      const given = await begun([], { authData: body as never });
      expect(given.stages).to.deep.equal(["m.login.sso"]);
      expect(given.auth.getSessionId()).to.be.null;
    });
  });

  it("is never changed", async () => {
    // Every body of these tests is frozen; this one is compared too.
    const body = {
      flows: flowsOf(["org.example.long", "org.example.longer"], [PASSWORD.type]),
      params: { [PASSWORD.type]: { hint: ["a"] } },
      session: "s",
      completed: ["org.example.long"],
    };
    const before = structuredClone(body);
    const authData = deepFreeze(body);
    const conversation = await begun([refuse(401, authData), succeed], {
      authData,
      sessionId: "another",
      supportedStages: Object.freeze([PASSWORD.type]),
      inputs: Object.freeze({}),
    });
    await conversation.submit(Object.freeze(PASSWORD));
    await conversation.submit(Object.freeze(PASSWORD));

    expect(body).to.deep.equal(before);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is read once: who changes it later changes nothing", async () => {
    const authData = { flows: flowsOf([PASSWORD.type]), session: SESSION };
    const { auth } = await begun([], { authData });
    authData.flows[0]?.stages.unshift("m.login.terms");
    authData.session = "another";

    expect(auth.getChosenFlow()).to.deep.equal({ stages: [PASSWORD.type] });
    expect(auth.getSessionId()).to.equal(SESSION);
  });

  it("cannot keep the engine busy by changing its mind about the flows", async () => {
    let turn = 0;
    const conversation: Conversation = new Conversation([], {
      doRequest: async (auth, background) =>
        ask([["m.login.dummy", `s${(turn += 1)}`]], { session: `session-${turn}` })(
          auth,
          background,
        ) as never,
    });
    await conversation.begin();

    expect(conversation.error).to.be.instanceOf(UiaError).with.property("code", "dummy_refused");
    expect(conversation.requests).to.have.length(2);
  });

  it("cannot keep the engine busy by forgetting every session", async () => {
    const conversation: Conversation = new Conversation([], {
      doRequest: async (auth, background) =>
        (auth ? refuse(400, { errcode: "M_UNKNOWN" }) : ask([["m.login.dummy"]]))(
          auth,
          background,
        ) as never,
    });
    await conversation.begin();

    expect(conversation.error).to.have.property("errcode", "M_UNKNOWN");
    expect(conversation.requests).to.have.length(4);
  });
});
