import { expect } from "@open-wc/testing";
import { restoreStubs, stub } from "../../support/stub.ts";
import {
  ADDRESS,
  EMAIL,
  HeldResponse,
  MSISDN,
  PASSWORD,
  SECRET,
  SESSION,
  SSO,
  UiaHarness,
  challenge,
  fail,
  poll,
  refuse,
  startUia,
  succeed,
  runUia,
  type Respond,
} from "./uia-harness.ts";

const AT_EMAIL = challenge([[EMAIL]]);
const AT_MSISDN = challenge([[MSISDN]]);
const AT_SSO = challenge([[SSO]]);
const NOT_YET = challenge([[EMAIL]], {
  errcode: "M_UNAUTHORIZED",
  error: "Unable to get validated threepid",
});
const DOWN = refuse(502, { error: "Bad gateway" });
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
  let now: number;
  const pass = (ms: number) => () => void (now += ms);
  beforeEach(() => {
    now = 1_000_000;
    stub(Date, "now", { value: () => now });
  });
  afterEach(restoreStubs);

  for (const stage of [SSO, "org.matrix.login.sso", "m.login.terms", "org.example.x"]) {
    it(`sends only the session, in the background, at ${stage}`, () =>
      runUia([challenge([[stage]]), succeed], [poll], {
        requests: [null, WITH_SESSION],
        backgrounds: [false, true],
        outcome: "resolved",
      }));
  }

  it("sends the credentials of the e-mail each time at its stage", () =>
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

  it("sends nothing at the e-mail stage before there is a sid", () =>
    runUia([AT_EMAIL, succeed], [poll, ({ auth }) => auth.setEmailSid("sid-9"), poll], {
      requests: [null, emailAuth({ sid: "sid-9", client_secret: SECRET })],
      outcome: "resolved",
    }));

  it("sends again what the caller submitted at the e-mail stage", () =>
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
    it(`names the identity server ${host} when the client's is ${JSON.stringify(url)}`, () =>
      runUia([AT_EMAIL, succeed], [poll], {
        options: { inputs, matrixClient: { getIdentityServerUrl: () => url } },
        requests: [null, emailAuth({ ...CREDENTIALS, ...(host && { id_server: host }) })],
        outcome: "resolved",
      }));
  }

  it("sends again what was submitted for a phone number, and nothing before that", () =>
    runUia([AT_MSISDN, AT_MSISDN, AT_MSISDN, succeed], [poll, PHONE, poll, poll], {
      requests: [null, ...[1, 2, 3].map(() => ({ ...PHONE, ...WITH_SESSION }))],
      outcome: "resolved",
    }));

  for (const [what, second, threepid_creds = PHONE.threepid_creds] of [
    ["what was submitted last", { ...PHONE, threepid_creds: { sid: "8" } }, { sid: "8" }],
    ["what was submitted before a dictionary without credentials", { type: MSISDN }, undefined],
  ] as const) {
    it(`sends again ${what} for a phone number`, () =>
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

  it("sends what was submitted for a phone number after an e-mail address", () =>
    runUia(
      [
        challenge([[EMAIL, MSISDN]]),
        challenge([[EMAIL, MSISDN]], { completed: [EMAIL] }),
        challenge([[EMAIL, MSISDN]], { completed: [EMAIL] }),
        succeed,
      ],
      [poll, PHONE, poll],
      {
        options: { inputs },
        requests: [
          null,
          emailAuth(CREDENTIALS),
          { ...PHONE, ...WITH_SESSION },
          { ...PHONE, ...WITH_SESSION },
        ],
        outcome: "resolved",
      },
    ));

  it("does not report that the stage is not completed, whatever the error", () =>
    runUia(
      [AT_EMAIL, NOT_YET, AT_EMAIL, challenge([[EMAIL]], { errcode: "M_FORBIDDEN" })],
      [poll, poll, poll],
      {
        options: { inputs },
        stages: [EMAIL, EMAIL],
        statuses: [{}, { emailSid: "sid-1" }],
      },
    ));

  it("does not report that the stages before this one are still completed", () =>
    runUia(
      [
        challenge([[PASSWORD.type, SSO]]),
        challenge([[PASSWORD.type, SSO]], { completed: [PASSWORD.type] }),
        challenge([[PASSWORD.type, SSO]], { completed: [PASSWORD.type] }),
      ],
      [PASSWORD, poll],
      { stages: [PASSWORD.type, SSO] },
    ));

  for (const [name, down, status] of [
    [
      "HTTP 500",
      refuse(500, { errcode: "M_UNKNOWN", error: "No" }),
      { errcode: "M_UNKNOWN", error: "No" },
    ],
    ["HTTP 502", DOWN, { error: "Bad gateway" }],
    [
      "no connection",
      fail(new TypeError("Failed to fetch")),
      { errcode: "network_error", error: "Failed to fetch" },
    ],
  ] as const) {
    it(`reports ${name} once, and the attempt continues`, () =>
      runUia([AT_SSO, down, down, down, succeed], [(harness: UiaHarness) => harness.poll(4)], {
        stages: [SSO, SSO],
        statuses: [{}, status],
        outcome: "resolved",
      }));
  }

  it("reports the end of a failure, and a further one", () =>
    runUia(
      [AT_SSO, DOWN, challenge([[SSO]], { error: "Not yet" }), DOWN, AT_SSO],
      [(harness) => harness.poll(4)],
      {
        stages: [SSO, SSO, SSO, SSO, SSO],
        statuses: [{}, { error: "Bad gateway" }, {}, { error: "Bad gateway" }, {}],
      },
    ));

  it("does not report the end of a failure again after a submission", () =>
    runUia([AT_SSO, DOWN, AT_SSO, AT_SSO], [poll, {}, poll], {
      stages: [SSO, SSO, SSO],
      statuses: [{}, { error: "Bad gateway" }, {}],
    }));

  for (const status of [400, 401, 403, 404]) {
    it(`ends the attempt with a ${status} that asks for nothing`, () =>
      runUia([AT_SSO, refuse(status, { errcode: "M_X" })], [poll], { outcome: `${status} M_X` }));
  }

  it("resolves once the response is processed", async () => {
    const flow = [[SSO, PASSWORD.type]];
    const harness = await startUia([challenge(flow), challenge(flow, { completed: [SSO] })]);
    await harness.auth.poll();

    harness.expect({ stages: [SSO, PASSWORD.type] });
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
    ["as long as a 429 says", 7000, limited(7000)],
    ["for a second after a 429 that does not say how long", 1000, limited()],
  ] as const) {
    it(`sends nothing ${title}, and does not report it`, () =>
      runUia(
        [AT_SSO, refusal, succeed],
        [
          poll,
          pass(ms - 1),
          poll,
          ({ requests }: UiaHarness) => expect(requests).to.have.length(2),
          pass(1),
          poll,
        ],
        { stages: [SSO], outcome: "resolved" },
      ));
  }

  it("does not delay a submission after a 429", () =>
    runUia([AT_SSO, limited(7000), succeed], [poll, {}], { outcome: "resolved" }));

  it("is not repeated by itself after a 429 of no time", () =>
    runUia([AT_SSO, limited(0)], [poll], {}));

  it("check() resolves with false and reports a 429 of more than five minutes", () =>
    runUia(
      [AT_SSO, limited(300_001)],
      [async ({ auth }) => expect(await auth.check()).to.be.false],
      { lastStatus: { errcode: "M_LIMIT_EXCEEDED" } },
    ));

  it("check() reports the end of a failure of an earlier poll", () =>
    runUia(
      [AT_SSO, DOWN, AT_SSO],
      [poll, async ({ auth }) => expect(await auth.check()).to.be.true],
      {
        stages: [SSO, SSO, SSO],
        statuses: [{}, { error: "Bad gateway" }, {}],
      },
    ));
});
