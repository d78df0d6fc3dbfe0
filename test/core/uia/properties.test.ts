import { expect } from "@open-wc/testing";
import fc from "fast-check";
import { UiaError } from "matrix-auth-elements/core";
import { UiaHarness, RESULT, deepFreeze, fail, idle, matrixError, succeed } from "./uia-harness.ts";

const STAGES = [
  "m.login.password",
  "m.login.dummy",
  "m.login.email.identity",
  "m.login.msisdn",
  "m.login.sso",
  "m.oauth",
  "__proto__",
  "constructor",
];

/** Any JSON value, with unusual member names. */
const anything = fc.jsonValue({ maxDepth: 3 });
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: arbitrary as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: anything },
  );
const stage = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...STAGES) }, fc.string());
const stages = fc.array(sometimes(stage), { maxLength: 4 });
const flow = sometimes(fc.record({ stages: sometimes(stages) }, { requiredKeys: [] }));
const params = fc.dictionary(fc.oneof(stage, fc.constant("__proto__")), anything);

/** A 401 body that is mostly valid, with invalid values in any place. */
const body401 = fc.record(
  {
    flows: sometimes(fc.array(flow, { maxLength: 4 })),
    params: sometimes(params),
    session: sometimes(fc.constantFrom("session-1", "session-2")),
    completed: sometimes(stages),
    errcode: sometimes(fc.constantFrom("M_FORBIDDEN", "M_UNKNOWN")),
    error: sometimes(fc.string()),
  },
  { requiredKeys: [] },
);

const refusal = fc.oneof(
  { weight: 8, arbitrary: fc.record({ status: fc.constant(401), body: sometimes(body401) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      status: fc.constantFrom(400, 403, 404, 500, 502),
      body: sometimes(fc.record({ errcode: fc.constantFrom("M_UNKNOWN", "M_FORBIDDEN") })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      status: fc.constant(429),
      body: fc.record({ retry_after_ms: fc.constantFrom(1, 1e9) }),
    }),
  },
);

type Step = "submit" | "poll" | "cancel" | "attempt" | "email";
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step>("submit", "poll") },
  { weight: 1, arbitrary: fc.constantFrom<Step>("cancel", "attempt", "email") },
);

/** A number of microtasks. */
const delay = fc.nat({ max: 30 });
const ticks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await undefined;
};

const inputs = fc.record(
  { emailAddress: fc.constant("a@b.c"), phoneCountry: fc.constant("GB"), phoneNumber: fc.string() },
  { requiredKeys: [] },
);

async function take(action: Step, { auth, updates }: UiaHarness): Promise<void> {
  switch (action) {
    case "submit":
      return auth
        .submitAuthDict({ type: updates.at(-1)?.[0] ?? "m.login.password" })
        .catch(expectUiaError);
    case "poll":
      return auth.poll();
    case "email":
      return auth.requestEmailToken("b@c.d").catch(expectUiaError);
    case "cancel":
      return auth.cancel();
    case "attempt":
      return void auth.attemptAuth().catch(() => undefined);
  }
}

const expectUiaError = (error: unknown): void => void expect(error).to.be.instanceOf(UiaError);

/** The invariants. */
function expectSane(harness: UiaHarness, thrown: readonly unknown[]): void {
  const { outcome, updates, busy, requests, auth } = harness;
  if (outcome && "error" in outcome) {
    // The error is the library's, or the request's own.
    if (!(outcome.error instanceof UiaError)) expect(thrown).to.include(outcome.error);
  } else if (outcome) expect(outcome.value).to.equal(RESULT);
  else expect(updates, "the attempt continues without an update").to.not.be.empty;
  expect(busy, "busyChanged").to.deep.equal(busy.map((_, i) => i % 2 === 0));
  expect(busy.at(-1)).to.not.be.true;
  expect(updates.map(([name]) => name)).to.not.include("m.login.dummy");
  for (const [name, { errcode = "", error = "" }] of updates) {
    expect(name).to.be.a("string").and.not.equal("");
    expect(errcode).to.be.a("string");
    expect(error).to.be.a("string");
  }
  for (const request of requests) expect(request?.session ?? "").to.be.a("string");
  expect(auth.getSessionId() ?? "").to.be.a("string");
  expect(Object.keys(Object.prototype), "Object.prototype").to.deep.equal([]);
  expect(({} as Record<string, unknown>)["polluted"]).to.be.undefined;
}

describe("InteractiveAuth with any bodies", () => {
  it("reports a stage or rejects with an error of the library or the homeserver", () =>
    fc.assert(
      fc.asyncProperty(refusal, inputs, async ({ status, body }, given) => {
        const error = matrixError(status, body);
        const harness = new UiaHarness(Array(9).fill(fail(error)), { inputs: given });
        await harness.start();
        // The engine gives up after some 429s.
        for (let i = 0; i < 50 && !harness.outcome && harness.updates.length === 0; i += 1) {
          await idle();
        }
        expectSane(harness, [error]);
        expect(harness.requests).to.have.length.at.most(9);
      }),
      { numRuns: 150 },
    ));

  it("reports a stage, resolves or rejects when the caller has the 401", () =>
    fc.assert(
      fc.asyncProperty(sometimes(body401), inputs, async (body, given) => {
        const authData = deepFreeze(body) as never;
        const harness = new UiaHarness([succeed, succeed], { inputs: given, authData });
        await harness.start();

        expectSane(harness, []);
      }),
      { numRuns: 150 },
    ));

  it("sends one request at a time and ends, with any responses and actions", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(refusal, delay), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(step, delay), { maxLength: 8 }),
        inputs,
        async (refusals, actions, given) => {
          const errors = refusals.map(([{ status, body }]) => matrixError(status, body));
          const inFlight = new Set<Promise<unknown>>();
          let sent = 0;
          const harness: UiaHarness = new UiaHarness([], {
            inputs: given,
            doRequest: async () => {
              // During an attempt, it returns the same promise.
              const attempt = harness.auth.attemptAuth();
              expect(inFlight.has(attempt), "two requests of one attempt at a time").to.be.false;
              inFlight.add(attempt);
              const [, wait = 0] = refusals[sent] ?? [];
              const error = errors[sent++];
              await ticks(wait);
              inFlight.delete(attempt);
              if (error) throw error;
              return RESULT;
            },
          });
          void harness.start();
          const pending: Promise<void>[] = [];
          for (const [action, wait] of actions) {
            await ticks(wait);
            pending.push(take(action, harness));
          }
          await Promise.all(pending);
          // Runs until no more requests come, because a 429 response might have postponed the next one.
          for (let before = -1; before !== harness.requests.length;) {
            before = harness.requests.length;
            await idle();
          }

          expectSane(harness, errors);
          const before = harness.requests.length;
          harness.auth.cancel();
          await Promise.all([harness.poll(), harness.poll()]);
          expect(harness.requests, "after the end").to.have.length(before);
        },
      ),
      { numRuns: 300 },
    ));
});
