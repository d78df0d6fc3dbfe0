import { expect } from "@open-wc/testing";
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
  TERMS,
  UNKNOWN_SESSION,
  UiaHarness,
  challenge,
  completing,
  idle,
  poll,
  refuse,
  start,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const NEW = { session: "session-2" };
const OTHER_OPERATION = refuse(403, { errcode: "M_UNKNOWN", error: "Operation has changed" });
const ROUND = [UNKNOWN_SESSION, challenge(LOGIN, NEW), UNKNOWN_SESSION];

describe("InteractiveAuth with a session that the homeserver rejects as unknown", () => {
  for (const [name, refusal] of [
    ["400 M_UNKNOWN", UNKNOWN_SESSION],
    ["403 M_UNKNOWN, as for another operation", OTHER_OPERATION],
    ["404 M_UNKNOWN", refuse(404, { errcode: "M_UNKNOWN" })],
    ["401 M_UNKNOWN without flows", refuse(401, { errcode: "M_UNKNOWN" })],
    ["401 M_SESSION_EXPIRED without flows", refuse(401, { errcode: "M_SESSION_EXPIRED" })],
    ["400 M_INVALID_PARAM, as continuwuity says it", refuse(400, { errcode: "M_INVALID_PARAM" })],
    ["403 M_FORBIDDEN, as tuwunel and Conduit say it", refuse(403, { errcode: "M_FORBIDDEN" })],
    ["404 M_NOT_FOUND", refuse(404, { errcode: "M_NOT_FOUND" })],
    ["410 M_NOT_FOUND", refuse(410, { errcode: "M_NOT_FOUND" })],
    ["422 M_INVALID_PARAM", refuse(422, { errcode: "M_INVALID_PARAM" })],
  ] as const) {
    it(`starts a new session after ${name} and submits the same credentials again`, () =>
      runUia([challenge(LOGIN), refusal, challenge(LOGIN, NEW), succeed], [PASSWORD], {
        requests: [null, SUBMITTED_PASSWORD, null, { ...PASSWORD, ...NEW }],
        backgrounds: [false, false, false, false],
        stages: [PASSWORD.type, PASSWORD.type],
        statuses: [{}, { restarted: true }],
        busy: [true, false, true, false],
        outcome: "resolved",
      }));
  }

  it("starts a new session when a resumed one is unknown", () =>
    runUia([UNKNOWN_SESSION, challenge(LOGIN)], [], {
      options: { sessionId: "old" },
      requests: [{ session: "old" }, null],
      stages: [PASSWORD.type],
      statuses: [{ restarted: true }],
      sessionId: SESSION,
    }));

  it("reports that the session is new at its first stage with input", () => {
    const flows = [[DUMMY, PASSWORD.type]];
    return runUia(
      [UNKNOWN_SESSION, challenge(flows), challenge(flows, { completed: [DUMMY] })],
      [],
      {
        options: { sessionId: "old" },
        stages: [PASSWORD.type],
        statuses: [{ restarted: true }],
      },
    );
  });

  it("shows the first stage of the new session, even if it was completed in the old one", () =>
    runUia(
      [...completing(TERMS, SSO), UNKNOWN_SESSION, challenge([[TERMS, SSO]], NEW)],
      [{ type: TERMS }, { type: SSO }],
      { completed: [], stages: [TERMS, SSO, TERMS], lastStatus: { restarted: true } },
    ));

  it("reports that the session is new only at its first stage", () =>
    runUia([UNKNOWN_SESSION, ...completing(TERMS, SSO)], [{ type: TERMS }], {
      options: { sessionId: "old" },
      stages: [TERMS, SSO],
      statuses: [{ restarted: true }, {}],
    }));

  it("submits nothing in the new session if the listener cancels the attempt", () => {
    const responses = [challenge(LOGIN), UNKNOWN_SESSION, challenge(LOGIN, NEW)];
    const harness: UiaHarness = new UiaHarness(responses, {
      stateUpdated: (_, { restarted }) => {
        if (restarted) harness.auth.cancel();
      },
    });
    return harness
      .start()
      .then(() => harness.submit(PASSWORD))
      .then(() => harness.expect({ outcome: "cancelled" }));
  });

  it("chooses a flow again when the new session has different flows", () =>
    runUia([challenge(LOGIN), UNKNOWN_SESSION, challenge([[TERMS]], NEW)], [PASSWORD], {
      flow: [TERMS],
    }));

  it("submits m.login.dummy in the new session too", () =>
    runUia([challenge([[DUMMY]]), UNKNOWN_SESSION, challenge([[DUMMY]], NEW), succeed], [], {
      requests: [null, { type: DUMMY, session: SESSION }, null, { type: DUMMY, ...NEW }],
      outcome: "resolved",
    }));

  it("starts one new session in each attempt, and rejects if that one is unknown, too", () =>
    runUia([challenge(LOGIN), ...ROUND, ...ROUND], [PASSWORD, start, PASSWORD], {
      outcome: "400 M_UNKNOWN",
    }));

  it("resolves when the request without a session succeeds", () =>
    runUia([challenge(LOGIN), UNKNOWN_SESSION, succeed], [PASSWORD], { outcome: "resolved" }));

  it("rejects when no new session can be started", () =>
    runUia([challenge(LOGIN), UNKNOWN_SESSION, refuse(500)], [PASSWORD], {
      outcome: "500",
      busy: [true, false, true, false],
    }));

  it("rejects with 400 M_UNKNOWN when the first request had no session", () =>
    runUia([UNKNOWN_SESSION], [], { outcome: "400 M_UNKNOWN" }));

  it("rejects with 400 M_UNKNOWN when the homeserver keeps no sessions", () =>
    runUia([challenge(LOGIN, { session: undefined }), UNKNOWN_SESSION], [PASSWORD], {
      outcome: "400 M_UNKNOWN",
    }));

  for (const [status, errcode] of [
    [400, "M_INVALID_PARAM"],
    [403, "M_FORBIDDEN"],
  ] as const) {
    it(`rejects with ${status} ${errcode} if the operation itself is rejected with it`, () => {
      const refusal = refuse(status, { errcode });
      return runUia([challenge(LOGIN), refusal, challenge(LOGIN, NEW), refusal], [PASSWORD], {
        requests: [null, SUBMITTED_PASSWORD, null, { ...PASSWORD, ...NEW }],
        outcome: `${status} ${errcode}`,
      });
    });

    it(`rejects with ${status} ${errcode} for a request without a session`, () =>
      runUia([refuse(status, { errcode })], [], { outcome: `${status} ${errcode}` }));
  }

  it("starts a new session when a resumed one is rejected with 403 M_FORBIDDEN", () =>
    runUia([refuse(403, { errcode: "M_FORBIDDEN" }), challenge(LOGIN)], [], {
      options: { sessionId: "old" },
      requests: [{ session: "old" }, null],
      statuses: [{ restarted: true }],
    }));

  for (const [status, errcode] of [
    [400, "M_WEAK_PASSWORD"],
    [403, "M_THREEPID_DENIED"],
    [408, "M_UNKNOWN"],
    [500, "M_UNKNOWN"],
  ] as const) {
    it(`rejects with ${status} ${errcode} without starting a new session`, () =>
      runUia([challenge(LOGIN), refuse(status, { errcode })], [PASSWORD], {
        outcome: `${status} ${errcode}`,
      }));
  }

  it("starts a new session, and becomes busy, when a poll finds that the old session is unknown", () =>
    runUia([challenge([[SSO]]), UNKNOWN_SESSION, challenge([[SSO]], NEW)], [poll], {
      requests: [null, { session: SESSION }, null],
      stages: [SSO, SSO],
      lastStatus: { restarted: true },
      busy: [true, false, true, false],
    }));

  it("keeps a validated address for the new session and does not report that poll's 401", () =>
    runUia(
      [
        challenge([[EMAIL]]),
        UNKNOWN_SESSION,
        challenge([[EMAIL]], NEW),
        challenge([[EMAIL]], { ...NEW, errcode: "M_UNAUTHORIZED", error: "Not validated" }),
      ],
      [poll, ({ requests }) => expect(requests[3]).to.deep.equal({ ...requests[1], ...NEW })],
      {
        options: { inputs: { emailAddress: ADDRESS } },
        emailAttempts: [1],
        stages: [EMAIL, EMAIL, EMAIL],
        statuses: [{}, { emailSid: "sid-1" }, { restarted: true, emailSid: "sid-1" }],
        backgrounds: [false, true, false, true],
      },
    ));

  it("submits a queued submission of the old session in the new one", async () => {
    const held = new HeldResponse();
    const [old, next] = [challenge(LOGIN), challenge(LOGIN, NEW)];
    const harness = await startUia([old, held.respond, next, next, succeed]);
    const submits = [1, 2].map((n) => harness.auth.submitAuthDict({ ...SUBMITTED_PASSWORD, n }));
    await held.release(UNKNOWN_SESSION);
    await Promise.all(submits);
    await idle();

    expect(harness.requests.at(-1)).to.deep.equal({ ...PASSWORD, n: 2, ...NEW });
    harness.expect({ outcome: "resolved" });
  });
});
