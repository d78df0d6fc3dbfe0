import { expect } from "@open-wc/testing";
import { restoreStubs } from "../../support/stub.ts";
import { Clock, idle } from "../../support/clock.ts";
import {
  ADDRESS,
  EMAIL,
  HeldResponse,
  MSISDN,
  SECRET,
  SESSION,
  SSO,
  UiaHarness,
  TERMS,
  cancel,
  challenge,
  completing,
  fail,
  poll,
  refuse,
  startUia,
  succeed,
  runUia,
  type Action,
  type Respond,
} from "./uia-harness.ts";

const AT_EMAIL = challenge([[EMAIL]]);
const AT_MSISDN = challenge([[MSISDN]]);
const AT_SSO = challenge([[SSO]]);
const NOT_YET = challenge([[EMAIL]], {
  errcode: "M_UNAUTHORIZED",
  error: "Unable to get validated threepid",
});
const DOWN_STATUS = { errcode: "server_error", error: "Bad gateway" };
const DOWN = refuse(502, { error: DOWN_STATUS.error });
const inputs = { emailAddress: ADDRESS };
const CREDENTIALS = { sid: "sid-1", client_secret: SECRET };
const PHONE = { type: MSISDN, threepid_creds: { sid: "7", client_secret: "x" } };
const WITH_SESSION = { session: SESSION };
const emailAuth = (threepid_creds: object) => ({ type: EMAIL, ...WITH_SESSION, threepid_creds });

const limited = (retry_after_ms?: number): Respond =>
  refuse(429, {
    errcode: "M_LIMIT_EXCEEDED",
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  });

describe("InteractiveAuth's poll()", () => {
  let clock: Clock;
  const jump = (ms: number) => () => clock.jump(ms);
  beforeEach(() => (clock = new Clock()));
  afterEach(restoreStubs);

  for (const stage of [SSO, "org.matrix.login.sso", "m.login.terms", "org.example.x"]) {
    it(`sends only the session, in the background, at ${stage}`, () =>
      runUia([challenge([[stage]]), succeed], [poll], {
        requests: [null, WITH_SESSION],
        backgrounds: [false, true],
        outcome: "resolved",
      }));
  }

  it("sends an empty dictionary if the homeserver has no sessions", () =>
    runUia([challenge([[SSO]], { session: undefined }), succeed], [poll], {
      requests: [null, {}],
      outcome: "resolved",
    }));

  it("sends the credentials of the email each time at its stage", () =>
    runUia([AT_EMAIL, NOT_YET, succeed], [poll, poll], {
      options: { inputs },
      requests: [null, emailAuth(CREDENTIALS), emailAuth(CREDENTIALS)],
      outcome: "resolved",
    }));

  it("sends the credentials of a validation that is resumed", () =>
    runUia([AT_EMAIL, succeed], [poll], {
      options: { sessionId: "old", emailSid: "sid-0" },
      requests: [{ session: "old" }, emailAuth({ sid: "sid-0", client_secret: SECRET })],
      outcome: "resolved",
    }));

  it("sends the credentials of the email once there is a sid, and only the session before that", () =>
    runUia([AT_EMAIL, AT_EMAIL, succeed], [poll, ({ auth }) => auth.setEmailSid("sid-9"), poll], {
      requests: [null, WITH_SESSION, emailAuth({ sid: "sid-9", client_secret: SECRET })],
      outcome: "resolved",
    }));

  it("repeats the caller's submission at the email stage", () =>
    runUia([AT_EMAIL, NOT_YET, succeed], [{ ...PHONE, type: EMAIL }, poll], {
      requests: [null, emailAuth(PHONE.threepid_creds), emailAuth(PHONE.threepid_creds)],
      outcome: "resolved",
    }));

  for (const [url, host] of [
    ["https://id.example", "id.example"],
    ["https://id.example:8448/some/path", "id.example:8448"],
    ["no URL", undefined],
    ["", undefined],
    [undefined, undefined],
  ] as const) {
    it(`sends the identity server ${host} when the client's URL is ${JSON.stringify(url)}`, () =>
      runUia([AT_EMAIL, succeed], [poll], {
        options: { inputs, matrixClient: { getIdentityServerUrl: () => url } },
        requests: [null, emailAuth({ ...CREDENTIALS, ...(host && { id_server: host }) })],
        outcome: "resolved",
      }));
  }

  it("repeats the submission for a phone number, and before that sends the session", () =>
    runUia([AT_MSISDN, AT_MSISDN, AT_MSISDN, AT_MSISDN, succeed], [poll, PHONE, poll, poll], {
      requests: [null, WITH_SESSION, ...[1, 2, 3].map(() => ({ ...PHONE, ...WITH_SESSION }))],
      outcome: "resolved",
    }));

  for (const [what, second, threepid_creds = PHONE.threepid_creds] of [
    ["the last submission", { ...PHONE, threepid_creds: { sid: "8" } }, { sid: "8" }],
    ["the submission before a dictionary without credentials", { type: MSISDN }, undefined],
  ] as const) {
    it(`repeats ${what} for a phone number`, () =>
      runUia([AT_MSISDN, AT_MSISDN, AT_MSISDN, succeed], [PHONE, second, poll], {
        requests: [
          null,
          { ...PHONE, ...WITH_SESSION },
          { ...second, ...WITH_SESSION },
          { type: MSISDN, threepid_creds, ...WITH_SESSION },
        ],
        outcome: "resolved",
      }));
  }

  it("sends the submission for a phone number after one for an email address", () =>
    runUia(
      [...completing(EMAIL, MSISDN), challenge([[EMAIL, MSISDN]], { completed: [EMAIL] }), succeed],
      [poll, PHONE, poll],
      {
        options: { inputs },
        requests: [
          null,
          emailAuth(CREDENTIALS),
          ...[1, 2].map(() => ({ ...PHONE, ...WITH_SESSION })),
        ],
        outcome: "resolved",
      },
    ));

  it("doesn't report an incomplete stage, regardless of the error", () =>
    runUia(
      [AT_EMAIL, NOT_YET, AT_EMAIL, challenge([[EMAIL]], { errcode: "M_FORBIDDEN" })],
      [poll, poll, poll],
      {
        options: { inputs },
        stages: [EMAIL, EMAIL],
        statuses: [{}, { emailSid: "sid-1" }],
      },
    ));

  it("reports the stage again when the homeserver has a different session", () =>
    runUia([AT_SSO, challenge([[SSO]], { session: "another" }), succeed], [poll, poll], {
      stages: [SSO, SSO],
      requests: [null, WITH_SESSION, { session: "another" }],
      outcome: "resolved",
    }));

  it("does not report that the stages before this one are still completed", () =>
    runUia(
      [...completing(TERMS, SSO), challenge([[TERMS, SSO]], { completed: [TERMS] })],
      [{}, poll],
      { stages: [TERMS, SSO] },
    ));

  for (const [name, down, status] of [
    [
      "HTTP 500",
      refuse(500, { errcode: "M_UNKNOWN", error: "No" }),
      { errcode: "M_UNKNOWN", error: "No" },
    ],
    ["HTTP 502", DOWN, DOWN_STATUS],
    [
      "a proxy's HTTP 403",
      refuse(403, {}),
      { errcode: "unexpected_status", error: "The homeserver responded with HTTP 403" },
    ],
    [
      "no connection",
      fail(new TypeError("Failed to fetch")),
      { errcode: "network_error", error: "Failed to fetch" },
    ],
    [
      "a client library's HTTP 404 without a body",
      fail({ status: 404, name: "HTTPError", message: "Not found" }),
      { error: "Not found" },
    ],
    [
      "a client library's own error",
      fail(Object.assign(new Error("Stopped"), { code: "E_STOPPED" })),
      { errcode: "E_STOPPED", error: "Stopped" },
    ],
  ] as const) {
    it(`reports ${name} once, and the attempt continues`, () =>
      runUia([AT_SSO, down, down, down, succeed], [(harness: UiaHarness) => harness.poll(4)], {
        stages: [SSO, SSO],
        statuses: [{}, status],
        outcome: "resolved",
      }));
  }

  it("reports the end of a failure, and another failure", () =>
    runUia(
      [AT_SSO, DOWN, challenge([[SSO]], { error: "Not yet" }), DOWN, AT_SSO],
      [(harness) => harness.poll(4)],
      {
        stages: [SSO, SSO, SSO, SSO, SSO],
        statuses: [{}, DOWN_STATUS, {}, DOWN_STATUS, {}],
      },
    ));

  it("reports the end of a failure once, even if a submission follows", () =>
    runUia([AT_SSO, DOWN, AT_SSO, AT_SSO], [poll, {}, poll], {
      stages: [SSO, SSO, SSO],
      statuses: [{}, DOWN_STATUS, {}],
    }));

  for (const [status, errcode] of [
    [400, "M_X"],
    [403, "M_X"],
    [404, "M_X"],
    // With 400, this code would mean that the homeserver does not accept polls.
    [403, "M_BAD_JSON"],
  ] as const) {
    it(`ends the attempt with a ${status} ${errcode} without stages`, () =>
      runUia([AT_SSO, refuse(status, { errcode })], [poll], { outcome: `${status} ${errcode}` }));
  }

  it("ends the attempt with a 400 M_BAD_JSON when it has sent credentials", () =>
    runUia([AT_EMAIL, refuse(400, { errcode: "M_BAD_JSON" })], [poll], {
      options: { inputs },
      outcome: "400 M_BAD_JSON",
    }));

  it("resolves once the response is processed", async () => {
    const harness = await startUia(completing(SSO, TERMS));
    await harness.auth.poll();

    harness.expect({ stages: [SSO, TERMS] });
  });

  it("sends nothing before the first stage is known", async () => {
    const held = new HeldResponse();
    const harness = await startUia([held.respond]);
    await harness.poll();
    await held.release(succeed);

    harness.expect({ outcome: "resolved" });
  });

  for (const [what, responses, options] of [
    [
      "getIdentityServerUrl()",
      [AT_EMAIL],
      (thrown: Error) => ({
        inputs,
        matrixClient: { getIdentityServerUrl: fail(thrown) as never },
      }),
    ],
    [
      "stateUpdated()",
      [AT_SSO, DOWN],
      (thrown: Error) => ({
        stateUpdated: (_: string, { error }: { error?: string }) => {
          if (error) throw thrown;
        },
      }),
    ],
  ] as const) {
    it(`resolves when ${what} throws, which ends the attempt`, async () => {
      const thrown = new Error("a bug in the page");
      const harness = await startUia(responses, options(thrown));
      await harness.poll();

      expect(harness.error).to.equal(thrown);
      harness.expect({});
    });
  }

  for (const [title, ms, refusal] of [
    ["for the time of a 429", 7000, limited(7000)],
    ["for a second after a 429 without a time", 1000, limited()],
    [
      "for a second after a 429 of another library whose time is not a number",
      1000,
      fail({ httpStatus: 429, retryAfterMs: NaN }),
    ],
  ] as const) {
    it(`sends nothing ${title}, and does not report it`, () =>
      runUia(
        [AT_SSO, refusal, succeed],
        [
          poll,
          jump(ms - 1),
          poll,
          ({ requests }: UiaHarness) => expect(requests).to.have.length(2),
          jump(1),
          poll,
        ],
        { stages: [SSO], outcome: "resolved" },
      ));
  }

  it("is sent again if a clock has been set back after a 429", () =>
    runUia([AT_SSO, limited(7000), succeed], [poll, jump(-3_600_000), poll], {
      outcome: "resolved",
    }));

  it("does not delay a submission after a 429", () =>
    runUia([AT_SSO, limited(7000), succeed], [poll, {}], { outcome: "resolved" }));

  it("is not repeated automatically after a 429 without a time", () =>
    runUia([AT_SSO, limited(0)], [poll], {}));

  describe("that a user requests with check()", () => {
    const LIMIT = { errcode: "M_LIMIT_EXCEEDED" };

    /** Runs the timers until none is left. */
    const runTimers = async (): Promise<void> => {
      while (clock.pending.length > 0) await clock.run();
    };
    const check =
      (expected: boolean, meanwhile: Action = runTimers) =>
      async (harness: UiaHarness): Promise<void> => {
        const checked = harness.auth.check();
        await idle();
        await harness.act(meanwhile);
        await runTimers();
        expect(await checked).to.equal(expected);
      };

    it("check() resolves with false before the attempt", async () => {
      expect(await new UiaHarness([]).auth.check()).to.be.false;
    });

    it("check() resolves with true and reports nothing when the stage is not completed", () =>
      runUia([AT_SSO, AT_SSO], [check(true)], { statuses: [{}] }));

    it("check() reports the end of a failure of an earlier poll", () =>
      runUia([AT_SSO, DOWN, AT_SSO], [poll, check(true)], {
        statuses: [{}, DOWN_STATUS, {}],
      }));

    it("check() resolves with false when the homeserver is down", () =>
      runUia([AT_SSO, DOWN], [check(false)], { statuses: [{}, DOWN_STATUS] }));

    it("check() waits for a second after a 429 with a time of 0", () =>
      runUia([AT_SSO, limited(0), AT_SSO], [poll, check(true)], {
        statuses: [{}, { ...LIMIT, retryAfterMs: 1000 }, {}],
      }));

    it("check() reports a 429, waits five minutes and polls again", () =>
      runUia([AT_SSO, limited(300_000), AT_SSO], [check(true)], {
        statuses: [{}, { ...LIMIT, retryAfterMs: 300_000 }, {}],
      }));

    it("check() resolves with false and reports a 429 of more than five minutes", () =>
      runUia([AT_SSO, limited(300_001)], [check(false)], { statuses: [{}, LIMIT] }));

    it("check() resolves with false after five waits", () =>
      runUia([AT_SSO, ...Array.from({ length: 6 }, () => limited(1000))], [check(false)], {
        statuses: [
          {},
          ...Array.from({ length: 5 }, () => [{ ...LIMIT, retryAfterMs: 1000 }, {}]).flat(),
          LIMIT,
        ],
      }));

    it("check() resolves with false and sends nothing when the attempt is cancelled during the wait", () =>
      runUia([AT_SSO, limited(1000)], [check(false, cancel)], {
        statuses: [{}, { ...LIMIT, retryAfterMs: 1000 }],
        outcome: "cancelled",
      }));

    it("check() resolves with false and sends nothing when another stage arrives during the wait", () =>
      runUia(
        [AT_SSO, limited(1000), challenge([[SSO, TERMS]], { completed: [SSO] })],
        [check(false, {})],
        { stages: [SSO, SSO, TERMS], statuses: [{}, { ...LIMIT, retryAfterMs: 1000 }, {}] },
      ));
  });
});
