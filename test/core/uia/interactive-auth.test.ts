import { expect } from "@open-wc/testing";
import { InteractiveAuth } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  DUMMY,
  HeldResponse,
  CAPTCHA,
  LOGIN,
  MSISDN,
  PASSWORD,
  SESSION,
  SUBMITTED_PASSWORD,
  SSO,
  TERMS,
  UiaHarness,
  challenge,
  completing,
  flowsOf,
  idle,
  poll,
  refuse,
  start,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const AUTH_DATA = { flows: flowsOf(...LOGIN), session: "from-before" };
const AT_SSO = challenge([[SSO]]);
const AT_MSISDN = challenge([[MSISDN]]);

describe("InteractiveAuth", () => {
  it("sends null first, in the foreground, and resolves with the result", () =>
    runUia([succeed], [], { requests: [null], backgrounds: [false], outcome: "resolved" }));

  it("sends the session first when one is resumed", () =>
    runUia([challenge(LOGIN)], [], {
      options: { sessionId: "old" },
      requests: [{ session: "old" }],
    }));

  it("reports a stage without a request, and submits with the 401's session, when the caller already has the 401", () =>
    runUia([succeed], [({ requests }) => expect(requests).to.deep.equal([]), PASSWORD], {
      options: { authData: AUTH_DATA },
      requests: [{ ...PASSWORD, session: "from-before" }],
      stages: [PASSWORD.type],
      statuses: [{}],
      outcome: "resolved",
    }));

  it("prefers the resumed session to the session in the caller's 401", () =>
    runUia([succeed], [PASSWORD], {
      options: { authData: AUTH_DATA, sessionId: "resumed" },
      requests: [{ ...PASSWORD, session: "resumed" }],
      outcome: "resolved",
    }));

  for (const authData of [null, undefined, {} as never, { flows: [] }, { flows: "all" as never }]) {
    it(`sends null first when the caller's 401 is ${JSON.stringify(authData)}`, () =>
      runUia([succeed], [], { options: { authData }, requests: [null], outcome: "resolved" }));
  }

  it("sends the session instead of one in the caller's dictionary", () =>
    runUia(
      [challenge(LOGIN), challenge(LOGIN), succeed],
      [{ ...PASSWORD, session: undefined }, Object.freeze({ ...PASSWORD, session: "out of date" })],
      {
        requests: [null, SUBMITTED_PASSWORD, SUBMITTED_PASSWORD],
        outcome: "resolved",
      },
    ));

  it("queues a submission while a request is in flight", async () => {
    const [first, second] = [new HeldResponse(), new HeldResponse()];
    const harness = await startUia([first.respond, second.respond, challenge(LOGIN), succeed]);
    const submits = [1, 2, 3].map((n) => harness.auth.submitAuthDict({ ...PASSWORD, n }));
    await idle();
    expect(harness.requests).to.have.length(1);
    await first.release(challenge(LOGIN));
    expect(harness.requests).to.have.length(2);
    await second.release(challenge(LOGIN));
    await Promise.all(submits);

    expect(harness.requests.slice(1).map((auth) => auth?.["n"])).to.deep.equal([1, 2, 3]);
    harness.expect({ mostInFlight: 1, outcome: "resolved" });
  });

  for (const [what, act] of [
    ["a submission", (harness) => harness.auth.submitAuthDict({})],
    ["another poll", (harness) => harness.auth.poll()],
  ] as readonly (readonly [string, (harness: UiaHarness) => Promise<void>])[]) {
    it(`sends no poll while ${what} is in flight`, async () => {
      const held = new HeldResponse();
      const harness = await startUia([AT_SSO, held.respond, AT_SSO]);
      const acting = act(harness);
      await harness.poll(2);
      expect(harness.requests).to.have.length(2);
      await held.release(AT_SSO);
      await acting;
      await harness.poll();

      harness.expect({ mostInFlight: 1, outcome: "pending" });
    });
  }

  it("queues a submission while a poll is in flight", async () => {
    const held = new HeldResponse();
    const harness = await startUia([AT_SSO, held.respond, succeed]);
    void harness.auth.poll();
    const submit = harness.auth.submitAuthDict({ type: SSO });
    await idle();
    expect(harness.requests).to.have.length(2);
    await held.release(AT_SSO);
    await submit;

    harness.expect({ mostInFlight: 1, outcome: "resolved" });
  });

  for (const [name, last, outcome] of [
    ["success", succeed, "resolved"],
    ["failure", refuse(500), "500"],
  ] as const) {
    it(`doesn't send requests that were queued before a ${name}`, async () => {
      const held = new HeldResponse();
      const harness = await startUia([AT_SSO, held.respond]);
      const pending = [harness.auth.submitAuthDict({}), harness.auth.submitAuthDict({})];
      await held.release(last);
      await Promise.all([...pending, harness.poll()]);

      harness.expect({ outcome });
    });

    it(`rejects a submission with not_attempting after a ${name}, and sends nothing`, async () => {
      const harness = await startUia([last]);
      const error = await rejectionOf(harness.auth.submitAuthDict(PASSWORD));
      await harness.poll();
      await harness.auth.chooseOtherFlow();

      expect(error).to.have.property("code", "not_attempting");
      harness.expect({ outcome });
    });
  }

  it("rejects a submission with not_attempting before the attempt, and sends no poll", async () => {
    const harness = new UiaHarness([]);
    const error = await rejectionOf(harness.auth.submitAuthDict(PASSWORD));
    await harness.poll();

    expect(error).to.include({
      name: "UiaError",
      code: "not_attempting",
      message: "submitAuthDict() called before attemptAuth()",
    });
    harness.expect({ requests: [] });
  });

  it("accepts a doRequest that throws synchronously and returns no promise", async () => {
    let calls = 0;
    const auth = new InteractiveAuth<string>({
      matrixClient: {},
      doRequest: (() => {
        calls += 1;
        if (calls === 1) challenge(LOGIN)(null, false);
        return "no promise";
      }) as never,
      stateUpdated: () => void auth.submitAuthDict(PASSWORD),
      requestEmailToken: async () => ({ sid: "1" }),
    });

    expect(await auth.attemptAuth()).to.equal("no promise");
  });

  describe("in a further attempt", () => {
    it("resumes the session after a failure", () =>
      runUia([challenge(LOGIN), refuse(500), succeed], [PASSWORD, start, PASSWORD], {
        requests: [null, SUBMITTED_PASSWORD, SUBMITTED_PASSWORD],
        stages: [PASSWORD.type, PASSWORD.type],
        outcome: "resolved",
      }));

    it("resumes the session after a failure that follows a success", () =>
      runUia(
        [succeed, challenge(LOGIN), refuse(500), succeed],
        [start, PASSWORD, start, PASSWORD],
        {
          requests: [null, null, SUBMITTED_PASSWORD, SUBMITTED_PASSWORD],
          outcome: "resolved",
        },
      ));

    it("sends the first request again after it failed", () =>
      runUia([refuse(500), succeed], [start], { requests: [null, null], outcome: "resolved" }));

    it("starts a new session after a success", () =>
      runUia(
        [challenge(LOGIN), succeed, challenge(LOGIN, { session: "next" })],
        [PASSWORD, start],
        { requests: [null, SUBMITTED_PASSWORD, null], sessionId: "next" },
      ));

    it("sends no credentials for a phone number that was validated in the last attempt", () =>
      runUia(
        [AT_MSISDN, succeed, AT_MSISDN, succeed],
        [{ type: MSISDN, threepid_creds: { sid: "7" } }, start, poll],
        {
          requests: [
            null,
            { type: MSISDN, threepid_creds: { sid: "7" }, session: SESSION },
            null,
            { session: SESSION },
          ],
          outcome: "resolved",
        },
      ));

    it("returns the same promise while an attempt is running", async () => {
      const harness = await startUia([challenge(LOGIN)]);

      expect(harness.auth.attemptAuth()).to.equal(harness.auth.attemptAuth());
      harness.auth.attemptAuth().catch(() => undefined);
      await harness.cancel();
      harness.expect({ requests: [null] });
    });

    for (const [name, first, carried] of [
      ["success", succeed, null],
      ["failure", refuse(500), { session: "resumed" }],
    ] as const) {
      it(`runs when it is started by busyChanged at the end of a ${name}`, async () => {
        let further = false;
        const harness: UiaHarness = new UiaHarness([first, challenge(LOGIN), succeed], {
          sessionId: "resumed",
          busyChanged: (busy) => {
            if (!busy && !further) {
              further = true;
              void harness.start();
            }
          },
        });
        harness.auth.attemptAuth().catch(() => undefined);
        await idle();
        expect(harness.requests).to.deep.equal([{ session: "resumed" }, carried]);
        expect(harness.busy).to.deep.equal([true, false, true, false]);
        await harness.submit(PASSWORD);

        harness.expect({ stages: [PASSWORD.type], outcome: "resolved" });
      });
    }
  });

  describe("at m.login.dummy", () => {
    const AT_DUMMY = challenge([[DUMMY]]);

    it("submits m.login.dummy automatically without reporting it as a stage", () =>
      runUia([challenge([[DUMMY]], { session: "s" }), succeed], [], {
        requests: [null, { type: DUMMY, session: "s" }],
        backgrounds: [false, false],
        updates: [],
        busy: [true, false],
        outcome: "resolved",
      }));

    it("submits m.login.dummy in its place in the order of the flow", () =>
      runUia([...completing(TERMS, DUMMY, CAPTCHA), succeed], [{}, {}], {
        stages: [TERMS, CAPTCHA],
        busy: [true, false, true, false, true, false],
        outcome: "resolved",
      }));

    it("submits m.login.dummy and is busy when a poll finds the stage before it completed", () =>
      runUia([...completing(SSO, DUMMY), succeed], [poll], {
        backgrounds: [false, true, false],
        busy: [true, false, true, false],
        outcome: "resolved",
      }));

    it("rejects with dummy_refused when stages come between two rejections of m.login.dummy", () =>
      runUia([AT_DUMMY, challenge([[TERMS], [DUMMY, TERMS]]), AT_DUMMY], [{ type: TERMS }], {
        outcome: "dummy_refused",
      }));

    for (const status of [400, 403, 500]) {
      it(`rejects with the homeserver's ${status} when that responds to m.login.dummy`, () =>
        runUia([AT_DUMMY, refuse(status, { errcode: "M_FORBIDDEN" })], [], {
          outcome: `${status} M_FORBIDDEN`,
        }));
    }

    it("submits m.login.dummy again in a further attempt", () =>
      runUia([AT_DUMMY, refuse(500), succeed], [start], { outcome: "resolved" }));

    it("rejects with dummy_refused when the homeserver requires m.login.dummy again", async () => {
      const refusal = { errcode: "M_FORBIDDEN", error: "Not here" };
      const harness = await startUia([AT_DUMMY, challenge([[DUMMY]], refusal)]);

      expect(harness.error).to.include({
        name: "UiaError",
        code: "dummy_refused",
        message: "The homeserver refuses m.login.dummy",
        reason: "Not here",
      });
      expect((harness.error as Error).cause).to.have.property("errcode", "M_FORBIDDEN");
      harness.expect({});
    });

    it("rejects with dummy_refused when every response names another flow and session", () =>
      runUia(
        [1, 2].map((n) => challenge([[DUMMY, `stage-${n}`]], { session: `session-${n}` })),
        [],
        { outcome: "dummy_refused" },
      ));
  });
});
