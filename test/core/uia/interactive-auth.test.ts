import { expect } from "@open-wc/testing";
import { InteractiveAuth, UiaError } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  Conversation,
  Held,
  PASSWORD,
  RESULT,
  SESSION,
  ask,
  begun,
  fail,
  flowsOf,
  idle,
  refuse,
  succeed,
} from "./uia-harness.ts";

const LOGIN = [["m.login.password"]];
const AUTH_DATA = { flows: flowsOf(["m.login.password"]), session: "from-before" };

describe("InteractiveAuth: requests", () => {
  it("has the constructor and the methods of its specification", async () => {
    const auth = new InteractiveAuth<string>({
      matrixClient: {},
      doRequest: async (authData) => JSON.stringify(authData),
      stateUpdated: () => undefined,
      requestEmailToken: async () => ({ sid: "1" }),
      inputs: {},
    });

    expect(auth.getSessionId()).to.be.null;
    expect(await auth.attemptAuth()).to.equal("null");
  });

  it("carries null first, in the foreground", async () => {
    const { requests, backgrounds, outcome } = await begun([succeed]);

    expect(requests).to.deep.equal([null]);
    expect(backgrounds).to.deep.equal([false]);
    expect(outcome).to.deep.equal({ value: RESULT });
  });

  it("carries the session first, where one is resumed", async () => {
    const { requests } = await begun([ask(LOGIN)], { sessionId: "old" });

    expect(requests).to.deep.equal([{ session: "old" }]);
  });

  it("sends nothing before the first submit, where the caller has the 401 already", async () => {
    const conversation = await begun([succeed], { authData: AUTH_DATA });
    expect(conversation.requests).to.deep.equal([]);
    expect(conversation.told).to.deep.equal([["m.login.password", {}]]);

    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.deep.equal([{ ...PASSWORD, session: "from-before" }]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("prefers the session that is resumed to that of the 401 that the caller has", async () => {
    const conversation = await begun([succeed], { authData: AUTH_DATA, sessionId: "resumed" });
    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.deep.equal([{ ...PASSWORD, session: "resumed" }]);
  });

  for (const authData of [null, undefined, {} as never, { flows: [] }, { flows: "all" as never }]) {
    it(`begins with null, where the caller's 401 is ${JSON.stringify(authData)}`, async () => {
      expect((await begun([succeed], { authData })).requests).to.deep.equal([null]);
    });
  }

  it("carries with each submit the session that getSessionId() gives", async () => {
    const conversation = await begun([
      ask([["m.login.password", "m.login.terms"]]),
      ask([["m.login.password", "m.login.terms"]], {
        session: "session-2",
        completed: ["m.login.password"],
      }),
      succeed,
    ]);
    expect(conversation.auth.getSessionId()).to.equal(SESSION);
    await conversation.submit(PASSWORD);
    expect(conversation.auth.getSessionId()).to.equal("session-2");
    await conversation.submit({ type: "m.login.terms" });

    expect(conversation.requests).to.deep.equal([
      null,
      { ...PASSWORD, session: SESSION },
      { type: "m.login.terms", session: "session-2" },
    ]);
  });

  it("carries no session, where the homeserver keeps none", async () => {
    const conversation = await begun([ask(LOGIN, { session: undefined }), succeed]);
    await conversation.submit(PASSWORD);

    expect(conversation.auth.getSessionId()).to.be.null;
    expect(conversation.requests[1]).to.deep.equal(PASSWORD);
  });

  it("keeps the session of an answer that leaves it out", async () => {
    const conversation = await begun([ask(LOGIN), ask(LOGIN, { session: undefined }), succeed]);
    await conversation.submit(PASSWORD);
    await conversation.submit(PASSWORD);

    expect(conversation.requests[2]).to.deep.equal({ ...PASSWORD, session: SESSION });
  });

  it("carries the session in place of what a caller's dictionary has for one", async () => {
    const conversation = await begun([ask(LOGIN), ask(LOGIN), succeed]);
    await conversation.submit({ ...PASSWORD, session: undefined as never });
    await conversation.submit({ ...PASSWORD, session: "out of date" });

    expect(conversation.requests.slice(1)).to.deep.equal([
      { ...PASSWORD, session: SESSION },
      { ...PASSWORD, session: SESSION },
    ]);
  });

  it("leaves the caller's dictionary as it was", async () => {
    const conversation = await begun([ask(LOGIN), succeed]);
    const dict = Object.freeze({ ...PASSWORD });
    await conversation.submit(dict);

    expect(dict).to.deep.equal(PASSWORD);
  });

  it("costs n + 1 for n stages", async () => {
    const stages = ["m.login.terms", "m.login.recaptcha", "m.login.password", "org.example.x"];
    const conversation = await begun([
      ...stages.map((_, done) => ask([stages], { completed: stages.slice(0, done) })),
      succeed,
    ]);
    for (const type of stages) await conversation.submit({ type });

    expect(conversation.requests).to.have.length(stages.length + 1);
    expect(conversation.stages).to.deep.equal(stages);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("are never two at a time, whatever is submitted while one is under way", async () => {
    const first = new Held();
    const second = new Held();
    const conversation = await begun([first.answer, second.answer, ask(LOGIN), succeed]);
    const submits = [1, 2, 3].map((n) => conversation.auth.submitAuthDict({ ...PASSWORD, n }));
    await idle();
    expect(conversation.requests).to.have.length(1);
    await first.release(ask(LOGIN));
    expect(conversation.requests).to.have.length(2);
    await second.release(ask(LOGIN));
    await Promise.all(submits);

    expect(conversation.mostInFlight).to.equal(1);
    expect(conversation.requests.slice(1).map((auth) => auth?.["n"])).to.deep.equal([1, 2, 3]);
  });

  it("are no polls, while another is under way", async () => {
    const held = new Held();
    const conversation = await begun([ask([["m.login.sso"]]), held.answer, ask([["m.login.sso"]])]);
    const submit = conversation.auth.submitAuthDict({});
    await conversation.poll();
    expect(conversation.requests).to.have.length(2);
    await held.release(ask([["m.login.sso"]]));
    await submit;
    await conversation.poll();

    expect(conversation.requests).to.have.length(3);
    expect(conversation.mostInFlight).to.equal(1);
  });

  it("wait for a poll that is under way", async () => {
    const held = new Held();
    const conversation = await begun([ask([["m.login.sso"]]), held.answer, succeed]);
    void conversation.auth.poll();
    const submit = conversation.auth.submitAuthDict({ type: "m.login.sso" });
    await idle();
    expect(conversation.requests).to.have.length(2);
    await held.release(ask([["m.login.sso"]]));
    await submit;

    expect(conversation.mostInFlight).to.equal(1);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("end at once with a success: what waited is never sent", async () => {
    const held = new Held();
    const conversation = await begun([ask([["m.login.sso"]]), held.answer]);
    const poll = conversation.auth.poll();
    const submit = conversation.auth.submitAuthDict({});
    await held.release(succeed);
    await Promise.all([poll, submit, conversation.poll()]);

    expect(conversation.requests).to.have.length(2);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("end at once with a failure: what waited is never sent", async () => {
    const held = new Held();
    const conversation = await begun([held.answer]);
    const submit = conversation.auth.submitAuthDict(PASSWORD);
    await held.release(refuse(500));
    await submit;

    expect(conversation.requests).to.deep.equal([null]);
  });

  it("may be made by a function that throws at once, and returns no promise", async () => {
    let calls = 0;
    const auth = new InteractiveAuth<string>({
      matrixClient: {},
      doRequest: (() => {
        calls += 1;
        if (calls === 1) ask(LOGIN)(null, false);
        return "no promise";
      }) as never,
      stateUpdated: () => void auth.submitAuthDict(PASSWORD),
      requestEmailToken: async () => ({ sid: "1" }),
    });

    expect(await auth.attemptAuth()).to.equal("no promise");
  });

  it("reject the attempt with what a function throws at once", async () => {
    const error = new TypeError("not a function");
    expect((await begun([fail(error)])).error).to.equal(error);
  });

  describe("without an attempt", () => {
    it("refuse a submit before it", async () => {
      const { auth } = new Conversation([]);
      const error = await rejectionOf(auth.submitAuthDict(PASSWORD));

      expect(error).to.be.instanceOf(UiaError).and.include({
        code: "not_attempting",
        message: "submitAuthDict() called before attemptAuth()",
      });
    });

    for (const [name, answer] of [
      ["a success", succeed],
      ["a failure", refuse(500)],
    ] as const) {
      it(`refuse a submit after ${name}, and send nothing`, async () => {
        const { auth, requests } = await begun([answer]);
        const error = await rejectionOf(auth.submitAuthDict(PASSWORD));

        expect(error).to.be.instanceOf(UiaError).with.property("code", "not_attempting");
        await auth.poll();
        expect(requests).to.have.length(1);
      });
    }

    it("send no poll before it", async () => {
      const conversation = new Conversation([]);
      await conversation.poll();

      expect(conversation.requests).to.deep.equal([]);
    });
  });

  describe("of a further attempt", () => {
    it("are none while the first goes on: it has the same promise", async () => {
      const { auth, requests } = await begun([ask(LOGIN)]);

      expect(auth.attemptAuth()).to.equal(auth.attemptAuth());
      await idle();
      expect(requests).to.have.length(1);
      auth.attemptAuth().catch(() => undefined);
      auth.cancel();
    });

    it("resume the session after a failure, and its success is not lost", async () => {
      const conversation = await begun([ask(LOGIN), refuse(500), succeed]);
      await conversation.submit(PASSWORD);
      expect(conversation.error).to.have.property("httpStatus", 500);

      await conversation.begin();
      expect(conversation.requests).to.have.length(2);
      expect(conversation.stages).to.deep.equal(["m.login.password", "m.login.password"]);
      await conversation.submit(PASSWORD);

      expect(conversation.requests[2]).to.deep.equal({ ...PASSWORD, session: SESSION });
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("resume the session after a failure, also where a success went before", async () => {
      const conversation = await begun([succeed, ask(LOGIN), refuse(500), succeed]);
      await conversation.begin();
      await conversation.submit(PASSWORD);
      await conversation.begin();
      await conversation.submit(PASSWORD);

      expect(conversation.requests).to.have.length(4);
      expect(conversation.requests[3]).to.deep.equal({ ...PASSWORD, session: SESSION });
    });

    it("ask again, where the first request failed", async () => {
      const conversation = await begun([refuse(500), succeed]);
      await conversation.begin();

      expect(conversation.requests).to.deep.equal([null, null]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("begin another session after a success", async () => {
      const conversation = await begun([ask(LOGIN), succeed, ask(LOGIN, { session: "next" })]);
      await conversation.submit(PASSWORD);
      await conversation.begin();

      expect(conversation.requests[2]).to.be.null;
      expect(conversation.auth.getSessionId()).to.equal("next");
      expect(conversation.outcome).to.be.undefined;
    });

    it("may be asked for where the caller hears that the first is not busy any more", async () => {
      for (const [first, carried] of [
        [succeed, null],
        [refuse(500), { session: "resumed" }],
      ] as const) {
        let further = false;
        const conversation: Conversation = new Conversation([first, ask(LOGIN), succeed], {
          sessionId: "resumed",
          busyChanged: (busy) => {
            if (!busy && !further) {
              further = true;
              void conversation.begin();
            }
          },
        });
        conversation.auth.attemptAuth().catch(() => undefined);
        await idle();

        expect(conversation.requests).to.deep.equal([{ session: "resumed" }, carried]);
        expect(conversation.stages).to.deep.equal(["m.login.password"]);
        expect(conversation.busy).to.deep.equal([true, false, true, false]);
        await conversation.submit(PASSWORD);
        expect(conversation.outcome).to.deep.equal({ value: RESULT });
      }
    });

    it("may be asked for where the first is told of", async () => {
      const conversation = new Conversation([succeed, ask(LOGIN)]);
      await conversation.auth.attemptAuth().then(() => conversation.begin());

      expect(conversation.requests).to.deep.equal([null, null]);
      expect(conversation.stages).to.deep.equal(["m.login.password"]);
    });
  });
});
