// Responses without data that the specification requires: the library keeps the data that it has.
import { expect } from "@open-wc/testing";
import {
  ADDRESS,
  CAPTCHA,
  DUMMY,
  EMAIL,
  LOGIN,
  MSISDN,
  PASSWORD,
  SESSION,
  SSO,
  SUBMITTED_PASSWORD,
  TERMS,
  challenge,
  completing,
  poll,
  refuse,
  startUia,
  succeed,
  runUia,
  type UiaHarness,
} from "./uia-harness.ts";

const WITH_SESSION = { session: SESSION };
const BARE = refuse(401, { errcode: "M_UNAUTHORIZED", error: "Not validated" });
/** Dendrite's response to an `auth` without a type. */
const TYPE_WANTED = refuse(400, { errcode: "M_BAD_JSON", error: "Unknown auth.type: " });
const TYPE_WANTED_STATUS = { errcode: "M_BAD_JSON", error: "Unknown auth.type: " };
const TOKEN_ERRORS = [
  "M_UNKNOWN_TOKEN",
  "M_MISSING_TOKEN",
  "M_USER_LOCKED",
  "M_USER_DEACTIVATED",
] as const;
const check = (harness: UiaHarness): Promise<boolean> => harness.auth.check();

describe("InteractiveAuth after a 401 without flows", () => {
  for (const [what, bare] of [
    ["an errcode", BARE],
    ["nothing", refuse(401)],
    ["another session and other parameters", refuse(401, { session: "x", params: {} })],
    ["an empty list of flows", refuse(401, { flows: [], session: SESSION })],
    ["a flow without stages", refuse(401, { flows: [{ stages: [] }], session: SESSION })],
  ] as const) {
    it(`polls again, with the same session, when a poll's response has ${what}`, () =>
      runUia([challenge([[SSO]]), bare, succeed], [poll, poll], {
        requests: [null, WITH_SESSION, WITH_SESSION],
        statuses: [{}],
        sessionId: SESSION,
        outcome: "resolved",
      }));
  }

  it("keeps the stage, its parameters and the completed stages", async () => {
    const params = { [CAPTCHA]: { public_key: "key" } };
    const harness = await startUia([
      challenge([[TERMS, CAPTCHA]], { params, completed: [TERMS] }),
      BARE,
      BARE,
    ]);
    await harness.submit({ type: CAPTCHA, response: "wrong" });
    await harness.poll();

    expect(harness.auth.getStageParams(CAPTCHA)).to.deep.equal(params[CAPTCHA]);
    harness.expect({
      flow: [TERMS, CAPTCHA],
      completed: [TERMS],
      stages: [CAPTCHA, CAPTCHA],
      outcome: "pending",
    });
  });

  it("reports a submission's response as a rejection of its stage", () =>
    runUia([challenge(LOGIN), BARE, succeed], [PASSWORD, PASSWORD], {
      requests: [null, SUBMITTED_PASSWORD, SUBMITTED_PASSWORD],
      statuses: [{}, { errcode: "M_UNAUTHORIZED", error: "Not validated" }],
      outcome: "resolved",
    }));

  it("rejects with dummy_refused when that was the response to m.login.dummy", () =>
    runUia([challenge([[DUMMY]]), BARE], [], { outcome: "dummy_refused" }));

  it("rejects when it is the response to the first request", () =>
    runUia([BARE], [], { outcome: "401 M_UNAUTHORIZED" }));

  it("rejects when it is the response to the first request of a resumed session", () =>
    runUia([BARE], [], { options: { sessionId: "old" }, outcome: "401 M_UNAUTHORIZED" }));

  for (const errcode of TOKEN_ERRORS) {
    for (const [what, action] of [
      ["a poll", poll],
      ["a submission", { type: SSO }],
    ] as const) {
      it(`rejects when the response to ${what} is ${errcode}`, () =>
        runUia([challenge([[SSO]]), refuse(401, { errcode })], [action], {
          outcome: `401 ${errcode}`,
        }));
    }
  }
});

describe("InteractiveAuth with authData that has no flows", () => {
  it("keeps the session of authData, and sends it", () =>
    runUia([challenge(LOGIN, { session: undefined }), succeed], [PASSWORD], {
      options: { authData: { session: "given" } },
      requests: [{ session: "given" }, { ...PASSWORD, session: "given" }],
      sessionId: "given",
      outcome: "resolved",
    }));

  it("sends the session in the option sessionId instead", () =>
    runUia([succeed], [], {
      options: { authData: { session: "given" }, sessionId: "resumed" },
      requests: [{ session: "resumed" }],
      outcome: "resolved",
    }));

  it("sends no session that is not a string", () =>
    runUia([succeed], [], {
      options: { authData: { session: 5 } as never },
      requests: [null],
      outcome: "resolved",
    }));
});

describe("InteractiveAuth with a homeserver that requires a type in each dictionary", () => {
  for (const [what, options] of [
    ["a session from outside", { sessionId: "old" }],
    ["the session of authData", { authData: { session: "old" } }],
  ] as const) {
    it(`restarts once, without auth, when the homeserver rejects ${what}`, () =>
      runUia([TYPE_WANTED, challenge(LOGIN)], [], {
        options,
        requests: [{ session: "old" }, null],
        stages: [PASSWORD.type],
        statuses: [{ restarted: true }],
        sessionId: SESSION,
      }));
  }

  it("rejects when the homeserver doesn't accept a request without auth, either", () =>
    runUia([TYPE_WANTED, TYPE_WANTED], [], {
      options: { sessionId: "old" },
      outcome: "400 M_BAD_JSON",
    }));

  it("rejects with M_BAD_JSON for a submission with a type", () =>
    runUia([challenge(LOGIN), TYPE_WANTED], [PASSWORD], { outcome: "400 M_BAD_JSON" }));

  it("reports once that the homeserver accepts no polls, and stops polling", () =>
    runUia([challenge([[SSO]]), TYPE_WANTED], [poll, poll, poll], {
      requests: [null, WITH_SESSION],
      statuses: [{}, TYPE_WANTED_STATUS],
    }));

  it("polls again when the user reports that the stage is finished, and reports each result", () =>
    runUia(
      [challenge([[SSO]]), TYPE_WANTED, TYPE_WANTED, succeed],
      [
        poll,
        async (harness) => expect(await check(harness)).to.be.false,
        poll,
        async (harness) => expect(await check(harness)).to.be.true,
      ],
      {
        requests: [null, WITH_SESSION, WITH_SESSION, WITH_SESSION],
        statuses: [{}, TYPE_WANTED_STATUS, {}, TYPE_WANTED_STATUS, {}],
        outcome: "resolved",
      },
    ));

  it("polls again at the next stage", () =>
    runUia(
      [
        challenge([[SSO, CAPTCHA]]),
        TYPE_WANTED,
        challenge([[SSO, CAPTCHA]], { completed: [SSO] }),
        succeed,
      ],
      [poll, poll, { type: SSO }, poll],
      { stages: [SSO, SSO, CAPTCHA], outcome: "resolved" },
    ));
});

describe("InteractiveAuth's poll() without credentials", () => {
  for (const stage of [EMAIL, MSISDN]) {
    it(`sends only the session at ${stage}, which another device might have completed`, () =>
      runUia([challenge([[stage]]), BARE, succeed], [poll, poll], {
        requests: [null, WITH_SESSION, WITH_SESSION],
        backgrounds: [false, true, true],
        statuses: [{}],
        outcome: "resolved",
      }));

    it(`sends nothing at ${stage} without a session`, () =>
      runUia([challenge([[stage]], { session: undefined })], [poll], { requests: [null] }));
  }
});

describe("InteractiveAuth with a stateUpdated that throws", () => {
  const thrown = new Error("a bug in the page");
  const options = (isBad: (calls: number) => boolean) => {
    let calls = 0;
    return {
      stateUpdated: () => {
        calls += 1;
        if (isBad(calls)) throw thrown;
      },
    };
  };

  it("rejects with that error when the first stage is reported", () =>
    runUia([challenge(LOGIN)], [], { options: options(() => true), outcome: thrown }));

  it("rejects with that error when a rejection is reported", () =>
    runUia([challenge(LOGIN), challenge(LOGIN, { errcode: "M_FORBIDDEN" })], [PASSWORD], {
      options: options((calls) => calls === 2),
      outcome: thrown,
    }));

  it("rejects with that error when a message is reported, but requestEmailToken() doesn't", () =>
    runUia([challenge([[EMAIL]])], [({ auth }) => auth.requestEmailToken(ADDRESS)], {
      options: options((calls) => calls === 2),
      outcome: thrown,
    }));

  it("rejects with that error, not check(), when the end of a failure is reported", () =>
    runUia(
      [challenge([[SSO]]), refuse(502)],
      [poll, async (harness) => expect(await check(harness)).to.be.false],
      { options: options((calls) => calls === 3), outcome: thrown },
    ));

  it("reports nothing after that", async () => {
    const harness = await startUia(
      completing(TERMS, SSO),
      options((calls) => calls === 2),
    );
    await harness.submit({ type: TERMS });
    await harness.poll();

    expect(harness.error).to.equal(thrown);
    harness.expect({ stages: [TERMS, SSO], mostInFlight: 1 });
  });
});
