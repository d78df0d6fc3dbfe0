import { expect } from "@open-wc/testing";
import { restoreStubs } from "../../support/stub.ts";
import {
  Conversation,
  PASSWORD,
  RESULT,
  SESSION,
  ask,
  begun,
  fail,
  idle,
  matrixError,
  refuse,
  succeed,
  type Answer,
} from "./uia-harness.ts";
import { Timers } from "./timers.ts";

const LOGIN = [[PASSWORD.type]];
const LIMIT = { errcode: "M_LIMIT_EXCEEDED", error: "Too many requests" };
const busyFor = (ms: unknown): Answer => refuse(429, { ...LIMIT, retry_after_ms: ms });

describe("InteractiveAuth: a rate limit", () => {
  let timers: Timers;
  beforeEach(() => (timers = new Timers()));
  afterEach(restoreStubs);

  it("is waited out, then the same request goes out again", async () => {
    const conversation = await begun([ask(LOGIN), busyFor(1500), succeed]);
    const submit = conversation.auth.submitAuthDict(PASSWORD);
    await idle();
    expect(timers.pending).to.deep.equal([1500]);
    expect(conversation.requests).to.have.length(2);
    expect(conversation.outcome).to.be.undefined;
    await timers.goOff();
    await submit;

    expect(conversation.requests[2]).to.deep.equal(conversation.requests[1]);
    expect(conversation.backgrounds).to.deep.equal([false, false, false]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is told with how long it takes, at a stage", async () => {
    const conversation = await begun([ask(LOGIN), busyFor(1500)]);
    void conversation.auth.submitAuthDict(PASSWORD);
    await idle();

    expect(conversation.told[1]).to.deep.equal([PASSWORD.type, { ...LIMIT, retryAfterMs: 1500 }]);
    conversation.auth.cancel();
  });

  describe("for mails", () => {
    const EMAIL = "m.login.email.identity";
    const atEmail = (...answers: unknown[]): Promise<Conversation> =>
      begun([ask([[EMAIL]])], {
        inputs: { emailAddress: "alice@example.org" },
        requestEmailToken: async () => {
          const answer = answers.shift();
          if (answer instanceof Error) throw answer;
          return answer as { sid: string };
        },
      });
    const limited = matrixError(429, { ...LIMIT, retry_after_ms: 1500 });

    it("is told and waited out, then the same mail is asked for again", async () => {
      const conversation = await atEmail(limited, { sid: "sid" });
      expect(conversation.told.at(-1)).to.deep.equal([EMAIL, { ...LIMIT, retryAfterMs: 1500 }]);
      expect(timers.pending).to.deep.equal([1500]);
      await timers.goOff();

      expect(conversation.mails.map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
      expect(conversation.lastStatus).to.deep.equal({ emailSid: "sid" });
    });

    it("is waited out no longer than the attempt lasts", async () => {
      const conversation = await atEmail(limited, { sid: "sid" });
      conversation.auth.cancel();
      await idle();

      expect(conversation.mails).to.have.length(1);
      expect(timers.pending).to.deep.equal([]);
    });

    it("is an error as any other where it is told for too long", async () => {
      const long = matrixError(429, { ...LIMIT, retry_after_ms: 10 * 60_000 });
      const conversation = await atEmail(long);

      expect(conversation.told.at(-1)).to.deep.equal([EMAIL, LIMIT]);
      expect(timers.pending).to.deep.equal([]);
      conversation.auth.cancel();
    });
  });

  it("is told to nobody before the first stage", async () => {
    const conversation = await begun([busyFor(1500), succeed]);
    expect(conversation.told).to.deep.equal([]);
    await timers.goOff();

    expect(conversation.requests).to.deep.equal([null, null]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("keeps the person waiting: busy without a break", async () => {
    const conversation = await begun([busyFor(1500), succeed]);
    expect(conversation.busy).to.deep.equal([true]);
    await timers.goOff();

    expect(conversation.busy).to.deep.equal([true, false]);
  });

  it("is waited out at m.login.dummy, which is submitted no second time for it", async () => {
    const conversation = await begun([ask([["m.login.dummy"]]), busyFor(10), succeed]);
    await timers.goOff();

    expect(conversation.requests.slice(1)).to.deep.equal([
      { type: "m.login.dummy", session: SESSION },
      { type: "m.login.dummy", session: SESSION },
    ]);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("is waited out for longer each time, where the homeserver does not say how long", async () => {
    const conversation = await begun(Array.from({ length: 9 }, () => refuse(429, LIMIT)));
    const waits: number[] = [];
    while (timers.pending.length > 0) {
      waits.push(...timers.pending);
      await timers.goOff();
    }

    expect(waits).to.deep.equal(waits.toSorted((a, b) => a - b));
    expect(waits).to.have.length(5);
    expect(new Set(waits).size).to.equal(waits.length);
    expect(conversation.error).to.have.property("httpStatus", 429);
  });

  it("that does not end, ends the attempt", async () => {
    const conversation = await begun(Array.from({ length: 99 }, () => busyFor(0)));
    while (timers.pending.length > 0) await timers.goOff();

    expect(conversation.error).to.include({ httpStatus: 429, errcode: "M_LIMIT_EXCEEDED" });
    expect(conversation.requests).to.have.length.below(10);
  });

  it("of five minutes is waited out, and ends the attempt where it is longer by any", async () => {
    const { auth } = await begun([busyFor(300_000)]);
    expect(timers.pending).to.deep.equal([300_000]);
    auth.cancel();

    const { error } = await begun([busyFor(300_001)]);
    expect(error).to.have.property("httpStatus", 429);
    expect(timers.pending).to.deep.equal([]);
  });

  it("of hours ends the attempt at once", async () => {
    const conversation = await begun([busyFor(3_600_000)]);

    expect(conversation.error).to.have.property("retryAfterMs", 3_600_000);
    expect(timers.pending).to.deep.equal([]);
  });

  for (const nonsense of ["soon", -5, null, {}]) {
    it(`takes ${JSON.stringify(nonsense)} for no time that it was told`, async () => {
      await begun([busyFor(nonsense), succeed]);
      expect(timers.pending).to.have.length(1);
      expect(timers.pending[0]).to.be.above(0);
      await timers.goOff();
    });
  }

  it("ends the attempt where no time can be read of another library's error", async () => {
    const { error } = await begun([fail({ httpStatus: 429, retryAfterMs: NaN })]);
    expect(error).to.include({ httpStatus: 429 });
    expect(timers.pending).to.deep.equal([]);
  });

  it("is over at once where another library's error says that it was over before", async () => {
    await begun([fail({ httpStatus: 429, retryAfterMs: -5 }), succeed]);
    expect(timers.pending).to.deep.equal([0]);
    await timers.goOff();
  });

  it("is read from the header, where the error carries it", async () => {
    const headers = new Headers({ "Retry-After": "3" });
    for (const error of [
      matrixError(429, LIMIT, headers),
      { httpStatus: 429, data: LIMIT, httpHeaders: headers },
    ]) {
      const { auth } = await begun([fail(error)]);
      expect(timers.pending).to.deep.equal([3000]);
      auth.cancel();
    }
  });

  it("sends no poll meanwhile, and lets what is submitted wait", async () => {
    const conversation = await begun([ask([["m.login.sso"]]), busyFor(1500), ask(LOGIN), succeed]);
    const first = conversation.auth.submitAuthDict({});
    await idle();
    await conversation.poll();
    const second = conversation.auth.submitAuthDict(PASSWORD);
    await idle();
    expect(conversation.requests).to.have.length(2);
    await timers.goOff();
    await Promise.all([first, second]);

    expect(conversation.requests.slice(1).map((auth) => auth?.type)).to.deep.equal([
      undefined,
      undefined,
      PASSWORD.type,
    ]);
    expect(conversation.mostInFlight).to.equal(1);
  });

  describe("that is waited out when the attempt ends", () => {
    for (const [name, end] of [
      ["cancel()", (auth: Conversation["auth"]) => auth.cancel()],
      ["the signal", (_: unknown, controller: AbortController) => controller.abort()],
    ] as const) {
      it(`by ${name}, holds up nobody, and nothing is sent`, async () => {
        const controller = new AbortController();
        const conversation = await begun([ask(LOGIN), busyFor(60_000)], {
          signal: controller.signal,
        });
        const submit = conversation.auth.submitAuthDict(PASSWORD);
        await idle();
        end(conversation.auth, controller);
        await submit;
        await idle();

        expect(conversation.error).to.have.property("code", "cancelled");
        expect(timers.pending).to.deep.equal([]);
        expect(conversation.requests).to.have.length(2);
        expect(conversation.busy).to.deep.equal([true, false, true, false]);
      });
    }

    it("by the listener that hears of it, holds up nobody", async () => {
      const conversation: Conversation = new Conversation([ask(LOGIN), busyFor(60_000)], {
        stateUpdated: (_, { retryAfterMs }) => {
          if (retryAfterMs) conversation.auth.cancel();
        },
      });
      await conversation.begin();
      await conversation.submit(PASSWORD);

      expect(conversation.error).to.have.property("code", "cancelled");
      expect(timers.pending).to.deep.equal([]);
      expect(conversation.requests).to.have.length(2);
    });
  });
});
