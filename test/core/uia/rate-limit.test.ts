import { expect } from "@open-wc/testing";
import { rejectionOf } from "../../support/rejection.ts";
import { restoreStubs } from "../../support/stub.ts";
import { Clock } from "../../support/clock.ts";
import {
  ADDRESS,
  DUMMY,
  EMAIL,
  HeldResponse,
  LOGIN,
  PASSWORD,
  SESSION,
  SUBMITTED_PASSWORD,
  SSO,
  UiaHarness,
  challenge,
  emailSent,
  fail,
  idle,
  matrixError,
  refuse,
  startUia,
  succeed,
  type Respond,
} from "./uia-harness.ts";

const AT_LOGIN = challenge(LOGIN);
const LIMIT = { errcode: "M_LIMIT_EXCEEDED", error: "Too many requests" };
/** The waits if the homeserver does not name a time, in milliseconds. */
const GROWING = [1000, 2000, 4000, 8000, 16_000];
const limited = (ms: unknown): Respond => refuse(429, { ...LIMIT, retry_after_ms: ms });

describe("InteractiveAuth after a 429", () => {
  let clock: Clock;
  beforeEach(() => (clock = new Clock()));
  afterEach(restoreStubs);

  /** Runs the timers until none is left. @returns their delays. */
  const runTimers = async (): Promise<readonly number[]> => {
    const waits: number[] = [];
    while (clock.pending.length > 0) {
      waits.push(...clock.pending);
      await clock.run();
    }
    return waits;
  };

  it("reports the wait at a stage and sends the same request again after it", async () => {
    const harness = await startUia([AT_LOGIN, limited(1500), succeed]);
    const submit = harness.auth.submitAuthDict(PASSWORD);
    await idle();
    expect(clock.pending).to.deep.equal([1500]);
    expect(harness.requests).to.have.length(2);
    await clock.run();
    await submit;

    harness.expect({
      requests: [null, SUBMITTED_PASSWORD, SUBMITTED_PASSWORD],
      backgrounds: [false, false, false],
      stages: [PASSWORD.type, PASSWORD.type],
      statuses: [{}, { ...LIMIT, retryAfterMs: 1500 }],
      outcome: "resolved",
    });
  });

  it("stays busy, and reports nothing before the first stage", async () => {
    const harness = await startUia([limited(1500), succeed]);
    expect(harness.busy).to.deep.equal([true]);
    await clock.run();

    harness.expect({
      requests: [null, null],
      updates: [],
      busy: [true, false],
      outcome: "resolved",
    });
  });

  it("sends m.login.dummy again after the wait", async () => {
    const harness = await startUia([challenge([[DUMMY]]), limited(10), succeed]);
    await clock.run();

    const dummy = { type: DUMMY, session: SESSION };
    harness.expect({ requests: [null, dummy, dummy], outcome: "resolved" });
  });

  it("sends no poll during the wait, and queues submissions", async () => {
    const harness = await startUia([challenge([[SSO]]), limited(1500), AT_LOGIN, succeed]);
    const first = harness.auth.submitAuthDict({});
    await idle();
    await harness.poll();
    const second = harness.auth.submitAuthDict(PASSWORD);
    await idle();
    expect(harness.requests).to.have.length(2);
    await clock.run();
    await Promise.all([first, second]);

    expect(harness.requests.at(-1)).to.include(PASSWORD);
    harness.expect({ mostInFlight: 1, outcome: "resolved" });
  });

  for (const [what, respond, expected] of [
    ["waits longer each time without a time", refuse(429, LIMIT), GROWING],
    ["waits longer each time with a time of 0", limited(0), GROWING],
    ["waits as long as it requires", limited(7), [7, 7, 7, 7, 7]],
  ] as const) {
    it(`rejects after five waits when the homeserver continues with 429s: ${what}`, async () => {
      const harness = await startUia(Array.from({ length: 6 }, () => respond));

      expect(await runTimers()).to.deep.equal(expected);
      harness.expect({ outcome: "429 M_LIMIT_EXCEEDED" });
    });
  }

  for (const [title, respond, expected] of [
    ["five minutes", limited(300_000), 300_000],
    [
      "the seconds of Retry-After",
      fail(matrixError(429, LIMIT, new Headers({ "Retry-After": "3" }))),
      3000,
    ],
    [
      "the seconds of Retry-After in another library's error",
      fail({ httpStatus: 429, data: LIMIT, httpHeaders: new Headers({ "Retry-After": "3" }) }),
      3000,
    ],
    [
      "a second when another library's error names a past time",
      fail({ httpStatus: 429, retryAfterMs: -5 }),
      1000,
    ],
    [
      "the body's time when Retry-After is 0",
      fail(
        matrixError(429, { ...LIMIT, retry_after_ms: 2000 }, new Headers({ "Retry-After": "0" })),
      ),
      2000,
    ],
    ...["soon", -5, null, {}].map(
      (ms) => [`a second when it sends ${JSON.stringify(ms)}`, limited(ms), 1000] as const,
    ),
  ] as const) {
    it(`waits for ${title}`, async () => {
      const harness = await startUia([respond, succeed]);
      expect(clock.pending).to.deep.equal([expected]);
      await clock.run();

      harness.expect({ outcome: "resolved" });
    });
  }

  for (const [title, error] of [
    ["of more than five minutes", matrixError(429, { ...LIMIT, retry_after_ms: 300_001 })],
    ["of another library whose time is not a number", { httpStatus: 429, retryAfterMs: NaN }],
  ] as const) {
    it(`rejects immediately with a 429 ${title}`, async () => {
      const harness = await startUia([fail(error)]);

      expect(harness.error).to.equal(error);
      expect(clock.pending).to.deep.equal([]);
    });
  }

  describe("to the request for an email", () => {
    const startAtEmail = (...emailResponses: readonly Respond[]): Promise<UiaHarness> =>
      startUia([challenge([[EMAIL]])], { inputs: { emailAddress: ADDRESS }, emailResponses });

    it("reports the wait and requests the same email again after it", async () => {
      const harness = await startAtEmail(limited(1500), emailSent("sid"));
      expect(clock.pending).to.deep.equal([1500]);
      await clock.run();

      harness.expect({
        emailAttempts: [1, 1],
        stages: [EMAIL, EMAIL, EMAIL],
        statuses: [{}, { ...LIMIT, retryAfterMs: 1500 }, { emailSid: "sid" }],
      });
    });

    it("requests no email again after cancel()", async () => {
      const harness = await startAtEmail(limited(1500));
      await harness.cancel();

      expect(clock.pending).to.deep.equal([]);
      harness.expect({ emailAttempts: [1] });
    });

    it("does not wait when the attempt is over before the 429 arrives", async () => {
      const held = new HeldResponse();
      const harness = await startAtEmail(held.respond);
      await harness.cancel();
      await held.release(limited(1500));

      expect(clock.pending).to.deep.equal([]);
      harness.expect({ emailAttempts: [1] });
    });

    it("rejects without a wait before the attempt", async () => {
      const { auth, emails } = new UiaHarness([], { emailResponses: [limited(1500)] });

      expect(await rejectionOf(auth.requestEmailToken(ADDRESS))).to.include({ httpStatus: 429 });
      expect(emails).to.have.length(1);
    });

    it("does not report the wait at another stage", async () => {
      const harness = await startUia([AT_LOGIN], { emailResponses: [limited(1500)] });
      const request = harness.auth.requestEmailToken(ADDRESS);
      await idle();
      expect(clock.pending).to.deep.equal([1500]);
      await clock.run();
      await request;

      harness.expect({ emailAttempts: [1, 1], statuses: [{}] });
    });

    it("waits longer each time, five times, when the homeserver sends no time", async () => {
      const respond = fail(matrixError(429, LIMIT));
      const harness = await startAtEmail(...Array.from({ length: 6 }, () => respond));

      expect(await runTimers()).to.deep.equal(GROWING);
      harness.expect({ lastStatus: LIMIT });
    });

    it("reports an error without a wait when it would take more than five minutes", async () => {
      const harness = await startAtEmail(limited(300_001));

      expect(clock.pending).to.deep.equal([]);
      harness.expect({ lastStatus: LIMIT });
    });
  });

  for (const [name, end] of [
    ["cancel()", (harness: UiaHarness) => harness.auth.cancel()],
    ["the AbortSignal", (_: UiaHarness, controller: AbortController) => controller.abort()],
  ] as const) {
    it(`sends nothing and keeps no timer when ${name} ends the attempt during the wait`, async () => {
      const controller = new AbortController();
      const harness = await startUia([AT_LOGIN, limited(60_000)], { signal: controller.signal });
      const submit = harness.auth.submitAuthDict(PASSWORD);
      await idle();
      end(harness, controller);
      await submit;
      await idle();

      expect(clock.pending).to.deep.equal([]);
      harness.expect({ busy: [true, false, true, false], outcome: "cancelled" });
    });
  }

  it("sends nothing and keeps no timer when stateUpdated() cancels on the report", async () => {
    const harness: UiaHarness = new UiaHarness([AT_LOGIN, limited(60_000)], {
      stateUpdated: (_, { retryAfterMs }) => {
        if (retryAfterMs) harness.auth.cancel();
      },
    });
    await harness.start();
    await harness.submit(PASSWORD);

    expect(clock.pending).to.deep.equal([]);
    harness.expect({ outcome: "cancelled" });
  });
});
