import { expect } from "@open-wc/testing";
import type { InteractiveAuth } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  ADDRESS,
  DUMMY,
  EMAIL,
  HeldResponse,
  LOGIN,
  PASSWORD,
  SSO,
  TERMS,
  UNKNOWN_SESSION,
  UiaHarness,
  cancel,
  challenge,
  flowsOf,
  idle,
  refuse,
  start,
  startUia,
  succeed,
  runUia,
  type Respond,
} from "./uia-harness.ts";

const AT_LOGIN = challenge(LOGIN);
const AT_EMAIL = challenge([[EMAIL]]);
const AT_SSO = challenge([[SSO]]);
const AT_DUMMY = challenge([[DUMMY]]);
const REASON = new Error("The dialog was closed");

/** The two ways to end an attempt. */
const WAYS = {
  "cancel()": (harness: UiaHarness) => harness.auth.cancel(REASON),
  "the AbortSignal": (_: UiaHarness, controller: AbortController) => controller.abort(REASON),
};

/** The requests that can be in flight when the attempt ends. */
const IN_FLIGHT: readonly (readonly [
  what: string,
  before: readonly Respond[],
  late: Respond,
  act?: (auth: InteractiveAuth<unknown>) => Promise<unknown>,
])[] = [
  ["the first request, which requests a stage,", [], AT_LOGIN],
  ["the first request, which succeeds,", [], succeed],
  ["the first request, which fails,", [], refuse(500)],
  ["the first request, which is rate-limited,", [], refuse(429, { retry_after_ms: 0 })],
  [
    "a submission, with another queued,",
    [AT_LOGIN],
    AT_LOGIN,
    (auth) => Promise.all([1, 2].map(() => auth.submitAuthDict(PASSWORD))),
  ],
  ["a poll", [AT_SSO], succeed, (auth) => auth.poll()],
  [
    "the request for a new session",
    [AT_LOGIN, UNKNOWN_SESSION],
    AT_LOGIN,
    (auth) => auth.submitAuthDict(PASSWORD),
  ],
  ["m.login.dummy", [AT_DUMMY], AT_DUMMY],
];

function expectCancelled(harness: UiaHarness): void {
  expect(harness.error).to.include({
    name: "UiaError",
    code: "cancelled",
    message: "The authentication was cancelled",
    cause: REASON,
  });
}

/** An `AbortSignal` that counts its listeners. */
function countedSignal(): { controller: AbortController; listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: never, options?: AddEventListenerOptions) => {
    count += 1;
    options?.signal?.addEventListener("abort", () => (count -= 1), { once: true });
    add(type, listener, options);
  };
  return { controller, listeners: () => count };
}

for (const [name, end] of Object.entries(WAYS)) {
  describe(`InteractiveAuth ended by ${name}`, () => {
    let controller: AbortController;
    const options = () => ({ signal: controller.signal });
    beforeEach(() => (controller = new AbortController()));

    it(`rejects with cancelled and the reason as cause when ${name} ends it at a stage`, async () => {
      const harness = await startUia([AT_LOGIN], options());
      end(harness, controller);
      await idle();

      expectCancelled(harness);
    });

    it(`sends nothing when ${name} ends it in the task in which it started`, async () => {
      const harness = new UiaHarness([], options());
      const started = harness.start();
      end(harness, controller);
      await started;

      expectCancelled(harness);
      harness.expect({ requests: [], busy: [true, false] });
    });

    for (const [what, before, late, act] of IN_FLIGHT) {
      it(`ignores the response when ${name} ends it while ${what} is in flight`, async () => {
        const held = new HeldResponse();
        const harness = await startUia([...before, held.respond], options());
        const acting = act?.(harness.auth);
        await idle();
        end(harness, controller);
        await idle();
        expectCancelled(harness);
        const [updates, busy] = [[...harness.updates], [...harness.busy]];
        expect(busy.at(-1)).to.be.false;
        await held.release(late);
        await acting;

        expectCancelled(harness);
        harness.expect({ updates, busy });
      });
    }

    it(`requests no email when ${name} ends it in stateUpdated`, async () => {
      const harness: UiaHarness = new UiaHarness([AT_EMAIL], {
        ...options(),
        inputs: { emailAddress: ADDRESS },
        stateUpdated: () => end(harness, controller),
      });
      await harness.start();

      expectCancelled(harness);
      harness.expect({ emailAddresses: [], busy: [true, false] });
    });

    it(`sends nothing when ${name} ends it in busyChanged`, async () => {
      const harness: UiaHarness = new UiaHarness([], {
        ...options(),
        busyChanged: () => end(harness, controller),
      });
      await harness.start();

      expectCancelled(harness);
      harness.expect({ requests: [], busy: [true, false] });
    });

    for (const [response, respond] of [
      ["a success", succeed],
      ["a failure", refuse(500)],
      ["a stage", AT_LOGIN],
    ] as const) {
      it(`rejects with cancelled when ${name} ends it in doRequest before ${response}`, async () => {
        const harness: UiaHarness = new UiaHarness([], {
          ...options(),
          doRequest: async (auth, background) => {
            end(harness, controller);
            return respond(auth, background);
          },
        });
        await harness.start();

        expectCancelled(harness);
      });
    }

    for (const [first, outcome] of [
      [succeed, "resolved"],
      [refuse(500), "500"],
    ] as const) {
      it(`keeps its outcome when ${name} is called after it: ${outcome}`, async () => {
        const harness = await startUia([first], options());
        end(harness, controller);
        await idle();

        harness.expect({ outcome });
      });
    }

    it(`keeps its reason when it is ended again after ${name}`, async () => {
      const harness = await startUia([AT_LOGIN], options());
      end(harness, controller);
      harness.auth.cancel(new Error("again"));
      controller.abort(new Error("again"));
      await idle();

      expectCancelled(harness);
    });

    it(`rejects submissions with not_attempting and sends no poll after ${name}`, async () => {
      const harness = await startUia([AT_LOGIN], options());
      end(harness, controller);
      const error = await rejectionOf(harness.auth.submitAuthDict(PASSWORD));
      await harness.poll();

      expect(error).to.have.property("code", "not_attempting");
      harness.expect({});
    });
  });
}

describe("InteractiveAuth's end", () => {
  it("reports no rate limit once the attempt is cancelled", async () => {
    const held = new HeldResponse();
    const harness = await startUia([AT_LOGIN, held.respond]);
    const submitted = harness.auth.submitAuthDict(PASSWORD);
    await idle();
    harness.auth.cancel();
    await held.release(refuse(429, { errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 1 }));
    await submitted;

    harness.expect({ statuses: [{}], outcome: "cancelled" });
  });

  it("starts a new session in the attempt after cancel()", () =>
    runUia([AT_LOGIN, challenge(LOGIN, { session: "next" }), succeed], [cancel, start, PASSWORD], {
      requests: [null, null, { ...PASSWORD, session: "next" }],
      outcome: "resolved",
    }));

  it("rejects with cancelled and without requests when its signal has already aborted", () =>
    runUia([], [], {
      options: { signal: AbortSignal.abort(REASON) },
      requests: [],
      busy: [],
      outcome: "cancelled",
    }));

  it("is not affected by a cancel() before the attempt", async () => {
    const harness = new UiaHarness([succeed]);
    harness.auth.cancel();
    await harness.start();

    harness.expect({ outcome: "resolved" });
  });

  it("has no cause when cancel() is called without a reason", async () => {
    const harness = await startUia([AT_LOGIN]);
    await harness.cancel();

    expect(harness.error).to.include({ code: "cancelled", cause: undefined });
  });

  it("reports no stage when cancel() follows an attempt with the caller's 401 immediately", async () => {
    const harness = new UiaHarness([], {
      inputs: { emailAddress: ADDRESS },
      authData: { flows: flowsOf([EMAIL]) },
    });
    const started = harness.start();
    harness.auth.cancel(REASON);
    await started;

    expectCancelled(harness);
    harness.expect({ updates: [], emailAddresses: [] });
  });

  it("forgets the session, its flow and its parameters after cancel()", async () => {
    const held = new HeldResponse();
    const params = { [PASSWORD.type]: 1 };
    const harness = await startUia([challenge([[PASSWORD.type, "x"]], { params }), held.respond]);
    await harness.cancel();
    await harness.start();

    expect(harness.auth.getStageParams(PASSWORD.type)).to.be.undefined;
    harness.expect({ sessionId: null, flow: undefined });
    await harness.cancel();
  });

  for (const [what, late] of [
    ["a success", succeed],
    ["a failure", refuse(500)],
    ["a challenge", challenge([[TERMS]], { session: "late" })],
  ] as const) {
    it(`doesn't use ${what} that arrives late in the next attempt`, async () => {
      const held = new HeldResponse();
      const harness = await startUia([AT_LOGIN, held.respond, AT_LOGIN, refuse(500), succeed]);
      const submit = harness.auth.submitAuthDict(PASSWORD);
      await idle();
      await harness.cancel();
      await harness.start();
      await held.release(late);
      await submit;
      expect(harness.outcome).to.be.undefined;
      expect(harness.report.stages).to.deep.equal([PASSWORD.type, PASSWORD.type]);
      await harness.submit(PASSWORD);
      expect(harness.report.outcome).to.equal("500");
      // The session is resumed, because the attempt did not end with a result.
      await harness.start();
      await harness.submit(PASSWORD);

      expect(harness.busy).to.deep.equal(harness.busy.map((_, i) => i % 2 === 0));
      harness.expect({ outcome: "resolved" });
    });
  }

  it("lets stateUpdated cancel and start the next attempt immediately", async () => {
    let cancelled = false;
    const harness: UiaHarness = new UiaHarness([AT_EMAIL, AT_LOGIN], {
      stateUpdated: () => {
        if (cancelled) return;
        cancelled = true;
        harness.auth.cancel();
        harness.auth.attemptAuth().catch(() => undefined);
      },
    });
    await harness.start();

    harness.expect({ stages: [EMAIL, PASSWORD.type], requests: [null, null] });
  });

  it("keeps one listener on the signal during an attempt, and none after it", async () => {
    const { controller, listeners } = countedSignal();
    const harness = new UiaHarness([succeed, refuse(500), AT_LOGIN, AT_LOGIN], {
      signal: controller.signal,
    });
    for (const finish of [idle, idle, () => harness.cancel()]) {
      const started = harness.start();
      expect(listeners()).to.equal(1);
      await started;
      await finish();
      expect(listeners()).to.equal(0);
    }
    await harness.start();
    controller.abort(REASON);
    await idle();

    expectCancelled(harness);
  });
});
