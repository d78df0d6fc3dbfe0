import { expect } from "@open-wc/testing";
import { AuthType } from "matrix-auth-elements/core";
import {
  CAPTCHA,
  LOGIN,
  PASSWORD,
  SESSION,
  SSO,
  TERMS,
  UiaHarness,
  challenge,
  completing,
  deepFreeze,
  fail,
  flowsOf,
  poll,
  refuse,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const WRONG = { errcode: "M_FORBIDDEN", error: "Invalid password" };
const TERMS_FIRST = [[TERMS, PASSWORD.type]];
const AT_PASSWORD = challenge(TERMS_FIRST, { completed: [TERMS] });

describe("InteractiveAuth's progress", () => {
  it("has the stage types of the specification in AuthType", () => {
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

  it("is empty before the first response", () => {
    const { auth, report } = new UiaHarness([]);

    expect(report).to.include({ sessionId: null, flow: undefined, emailSid: undefined });
    expect(report.completed).to.deep.equal([]);
    expect(auth.getStageParams(TERMS)).to.be.undefined;
  });

  it("reports stages in the order of the flow, and sends one request more than there are stages", () =>
    runUia([...completing(TERMS, CAPTCHA, SSO), succeed], [{}, {}, {}], {
      stages: [TERMS, CAPTCHA, SSO],
      statuses: [{}, {}, {}],
      outcome: "resolved",
    }));

  it("accepts the completed stages in any order", () =>
    runUia([challenge([[TERMS, CAPTCHA, SSO]], { completed: [SSO, TERMS, TERMS] })], [], {
      stages: [CAPTCHA],
      completed: [SSO, TERMS],
    }));

  it("keeps stages completed when a response omits the completed ones", () =>
    runUia([AT_PASSWORD, challenge(TERMS_FIRST, WRONG)], [PASSWORD], {
      stages: [PASSWORD.type, PASSWORD.type],
    }));

  for (const [condition, rest] of [
    ["the homeserver reports so", { completed: [] }],
    ["another session's response omits the completed ones", { session: "session-2" }],
  ] as const) {
    it(`reports a completed stage again when ${condition}`, () =>
      runUia([AT_PASSWORD, challenge(TERMS_FIRST, rest)], [PASSWORD], {
        stages: [PASSWORD.type, TERMS],
      }));
  }

  it("reports a stage again with the homeserver's error when it rejects the submission", () =>
    runUia([challenge(LOGIN), challenge(LOGIN, WRONG), succeed], [PASSWORD, PASSWORD], {
      stages: [PASSWORD.type, PASSWORD.type],
      statuses: [{}, WRONG],
      outcome: "resolved",
    }));

  for (const [refusal, lastStatus] of [
    [{}, {}],
    [{ errcode: "", error: "" }, {}],
    [{ errcode: 7, error: {} }, {}],
    [{ errcode: null, error: [] }, {}],
    [{ errcode: { toString: "x" }, error: true }, {}],
    [{ errcode: "M_FORBIDDEN" }, { errcode: "M_FORBIDDEN" }],
    [{ error: "<img src=x onerror=alert(1)>" }, { error: "<img src=x onerror=alert(1)>" }],
  ] as const) {
    it(`reports a stage with ${JSON.stringify(lastStatus)} after ${JSON.stringify(refusal)}`, () =>
      runUia([challenge(LOGIN), challenge(LOGIN, refusal)], [PASSWORD], { lastStatus }));
  }

  it("rejects with a 401 that has no flows", () =>
    runUia([challenge(LOGIN), refuse(401, { errcode: "M_UNKNOWN_TOKEN" })], [PASSWORD], {
      stages: [PASSWORD.type],
      outcome: "401 M_UNKNOWN_TOKEN",
    }));

  for (const status of [400, 403, 404, 409, 500, 502]) {
    it(`rejects with a ${status} that has flows`, () =>
      runUia([refuse(status, { flows: flowsOf([SSO]) })], [], {
        updates: [],
        outcome: String(status),
      }));
  }

  it("reports a stage before submitAuthDict() resolves", async () => {
    const harness = await startUia([challenge(LOGIN), challenge(LOGIN, WRONG)]);
    await harness.auth.submitAuthDict(PASSWORD);

    harness.expect({ lastStatus: WRONG });
  });

  it("accepts a submission from within stateUpdated", async () => {
    const harness: UiaHarness = new UiaHarness([...completing(TERMS, CAPTCHA), succeed], {
      stateUpdated: (type) => void harness.auth.submitAuthDict({ type }),
    });
    await harness.start();

    expect(harness.requests.map((auth) => auth?.type)).to.deep.equal([undefined, TERMS, CAPTCHA]);
    harness.expect({ mostInFlight: 1, busy: [true, false], outcome: "resolved" });
  });

  it("rejects with the error that stateUpdated throws", async () => {
    const thrown = new Error("a bug in the page");
    const harness = await startUia([challenge(LOGIN)], {
      stateUpdated: () => fail(thrown)(null, false),
    });
    await harness.poll();

    expect(harness.error).to.equal(thrown);
    harness.expect({ busy: [true, false] });
  });

  it("sends the session of the last response that named one", () =>
    runUia(
      [
        challenge(TERMS_FIRST),
        challenge(TERMS_FIRST, { session: "session-2" }),
        challenge(TERMS_FIRST, { session: undefined }),
        succeed,
      ],
      [{}, {}, {}],
      {
        requests: [null, ...[SESSION, "session-2", "session-2"].map((session) => ({ session }))],
        sessionId: "session-2",
        outcome: "resolved",
      },
    ));

  for (const session of [undefined, 7, null, {}, ["s"], true]) {
    it(`sends no session when the homeserver names ${JSON.stringify(session)}`, () =>
      runUia([challenge(LOGIN, { session }), succeed], [PASSWORD], {
        requests: [null, PASSWORD],
        sessionId: null,
        outcome: "resolved",
      }));
  }

  const params = deepFreeze({ [CAPTCHA]: { public_key: "key" }, [TERMS]: { policies: {} } });
  const AT_CAPTCHA = challenge([[CAPTCHA]], { params });
  const hasParams =
    (captcha: unknown, terms?: unknown) =>
    ({ auth }: UiaHarness): void => {
      expect(auth.getStageParams(CAPTCHA)).to.deep.equal(captcha);
      expect(auth.getStageParams(TERMS)).to.deep.equal(terms);
      expect(auth.getStageParams(SSO)).to.be.undefined;
    };
  const hasThem = hasParams(params[CAPTCHA], params[TERMS]);

  it("returns the parameters of a stage type", () => runUia([AT_CAPTCHA], [hasThem], {}));

  it("returns a stage's parameters from the caller's 401", () =>
    runUia([], [hasThem], {
      options: { authData: deepFreeze({ flows: flowsOf([CAPTCHA]), params }) },
    }));

  for (const left of [undefined, null, "none", []]) {
    it(`keeps the parameters when the next response has ${JSON.stringify(left)} as params`, () =>
      runUia([AT_CAPTCHA, challenge([[CAPTCHA]], { params: left })], [{}, hasThem], {}));
  }

  it("keeps the parameters when the response to a poll has no flows", () =>
    runUia([AT_CAPTCHA, refuse(502)], [poll, hasThem], {}));

  it("replaces the parameters with those of the next response", () =>
    runUia(
      [AT_CAPTCHA, challenge([[CAPTCHA]], { params: { [CAPTCHA]: "new" } })],
      [{}, hasParams("new")],
      {},
    ));
});
