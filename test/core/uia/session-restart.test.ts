import { expect } from "@open-wc/testing";
import {
  ADDRESS,
  Held,
  PASSWORD,
  RESULT,
  SESSION,
  UNKNOWN_SESSION,
  ask,
  begun,
  idle,
  refuse,
  succeed,
} from "./uia-harness.ts";

const LOGIN = [[PASSWORD.type]];
const TERMS = "m.login.terms";
const EMAIL = "m.login.email.identity";
const NEW = { session: "session-2" };
const OTHER_OPERATION = refuse(403, { errcode: "M_UNKNOWN", error: "Operation has changed" });

describe("InteractiveAuth: a session that the homeserver does not know", () => {
  for (const [name, answer] of [
    ["400", UNKNOWN_SESSION],
    ["403, as another operation's", OTHER_OPERATION],
  ] as const) {
    it(`(${name}) is replaced by another, and what was typed is submitted again`, async () => {
      const conversation = await begun([ask(LOGIN), answer, ask(LOGIN, NEW), succeed]);
      await conversation.submit(PASSWORD);

      expect(conversation.requests).to.deep.equal([
        null,
        { ...PASSWORD, session: SESSION },
        null,
        { ...PASSWORD, ...NEW },
      ]);
      expect(conversation.backgrounds).to.deep.equal([false, false, false, false]);
      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });
  }

  it("is told as restarted, and without a break in busy", async () => {
    const conversation = await begun([ask(LOGIN), UNKNOWN_SESSION, ask(LOGIN, NEW), succeed]);
    await conversation.submit(PASSWORD);

    expect(conversation.told).to.deep.equal([
      [PASSWORD.type, {}],
      [PASSWORD.type, { restarted: true }],
    ]);
    expect(conversation.busy).to.deep.equal([true, false, true, false]);
  });

  it("that was resumed is replaced by another", async () => {
    const conversation = await begun([UNKNOWN_SESSION, ask(LOGIN)], { sessionId: "old" });

    expect(conversation.requests).to.deep.equal([{ session: "old" }, null]);
    expect(conversation.told).to.deep.equal([[PASSWORD.type, { restarted: true }]]);
    expect(conversation.auth.getSessionId()).to.equal(SESSION);
  });

  it("takes its stages with it: the first comes up again", async () => {
    const flow = [[TERMS, PASSWORD.type]];
    const conversation = await begun([
      ask(flow),
      ask(flow, { completed: [TERMS] }),
      UNKNOWN_SESSION,
      ask(flow, NEW),
    ]);
    await conversation.submit({ type: TERMS });
    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.have.length(4);
    expect([...conversation.auth.getCompletedStages()]).to.deep.equal([]);
    expect(conversation.told.at(-1)).to.deep.equal([TERMS, { restarted: true }]);
  });

  it("takes its flow with it", async () => {
    const conversation = await begun([ask(LOGIN), UNKNOWN_SESSION, ask([[TERMS]], NEW)]);
    await conversation.submit(PASSWORD);

    expect(conversation.auth.getChosenFlow()).to.deep.equal({ stages: [TERMS] });
  });

  it("has m.login.dummy submitted again in its successor", async () => {
    const conversation = await begun([
      ask([["m.login.dummy"]]),
      UNKNOWN_SESSION,
      ask([["m.login.dummy"]], NEW),
      succeed,
    ]);
    expect(conversation.requests.map((auth) => auth?.session)).to.deep.equal([
      undefined,
      SESSION,
      undefined,
      NEW.session,
    ]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is replaced once: the second time rejects", async () => {
    const conversation = await begun([
      ask(LOGIN),
      UNKNOWN_SESSION,
      ask(LOGIN, NEW),
      UNKNOWN_SESSION,
    ]);
    await conversation.submit(PASSWORD);

    expect(conversation.error).to.include({ httpStatus: 400, errcode: "M_UNKNOWN" });
    expect(conversation.requests).to.have.length(4);
  });

  it("is replaced once in each attempt", async () => {
    const round = [UNKNOWN_SESSION, ask(LOGIN, NEW), UNKNOWN_SESSION];
    const conversation = await begun([ask(LOGIN), ...round, ...round]);
    await conversation.submit(PASSWORD);
    await conversation.begin();
    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.have.length(7);
    expect(conversation.error).to.have.property("errcode", "M_UNKNOWN");
  });

  it("has no successor where the homeserver then asks for nothing", async () => {
    const conversation = await begun([ask(LOGIN), UNKNOWN_SESSION, succeed]);
    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.have.length(3);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("ends the attempt, where there can be none in its place", async () => {
    const conversation = await begun([ask(LOGIN), UNKNOWN_SESSION, refuse(500)]);
    await conversation.submit(PASSWORD);

    expect(conversation.error).to.have.property("httpStatus", 500);
    expect(conversation.busy).to.deep.equal([true, false, true, false]);
  });

  it("is none, where there was no session", async () => {
    const first = await begun([UNKNOWN_SESSION]);
    expect(first.error).to.have.property("errcode", "M_UNKNOWN");

    const without = await begun([ask(LOGIN, { session: undefined }), UNKNOWN_SESSION]);
    await without.submit(PASSWORD);
    expect(without.error).to.have.property("errcode", "M_UNKNOWN");
  });

  for (const [status, errcode] of [
    [400, "M_INVALID_PARAM"],
    [403, "M_FORBIDDEN"],
    [404, "M_UNKNOWN"],
    [500, "M_UNKNOWN"],
  ] as const) {
    it(`is not what ${status} ${errcode} says: that rejects`, async () => {
      const conversation = await begun([ask(LOGIN), refuse(status, { errcode })]);
      await conversation.submit(PASSWORD);

      expect(conversation.error).to.include({ httpStatus: status, errcode });
      expect(conversation.requests).to.have.length(2);
    });
  }

  it("is replaced for what waits in line too", async () => {
    const held = new Held();
    const conversation = await begun([
      ask(LOGIN),
      held.answer,
      ask(LOGIN, NEW),
      ask(LOGIN),
      succeed,
    ]);
    const session = conversation.auth.getSessionId() ?? "";
    const submits = [1, 2].map((n) =>
      conversation.auth.submitAuthDict({ ...PASSWORD, n, session }),
    );
    await held.release(UNKNOWN_SESSION);
    await Promise.all(submits);
    await idle();

    expect(conversation.requests.at(-1)).to.deep.equal({ ...PASSWORD, n: 2, session: SESSION });
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is replaced where a poll finds out, which is busy then", async () => {
    const flow = [["m.login.sso"]];
    const conversation = await begun([ask(flow), UNKNOWN_SESSION, ask(flow, NEW)]);
    await conversation.poll();

    expect(conversation.requests).to.deep.equal([null, { session: SESSION }, null]);
    expect(conversation.told.at(-1)).to.deep.equal(["m.login.sso", { restarted: true }]);
    expect(conversation.busy).to.deep.equal([true, false, true, false]);
  });

  it("leaves an address verified, and what a poll hears of it is no news", async () => {
    const notYet = ask([[EMAIL]], { ...NEW, errcode: "M_UNAUTHORIZED", error: "Not validated" });
    const conversation = await begun(
      [ask([[EMAIL]]), UNKNOWN_SESSION, ask([[EMAIL]], NEW), notYet],
      {
        inputs: { emailAddress: ADDRESS },
      },
    );
    await conversation.poll();

    expect(conversation.mails).to.have.length(1);
    expect(conversation.requests[3]).to.deep.equal({ ...conversation.requests[1], ...NEW });
    expect(conversation.told.slice(2)).to.deep.equal([
      [EMAIL, { restarted: true, emailSid: "sid-1" }],
    ]);
    expect(conversation.backgrounds).to.deep.equal([false, true, false, true]);
  });
});
