import { expect } from "@open-wc/testing";
import fc from "fast-check";
import { UiaError } from "matrix-auth-elements/core";
import {
  Conversation,
  RESULT,
  deepFreeze,
  fail,
  idle,
  matrixError,
  type Answer,
} from "./uia-harness.ts";

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

/** What JSON can hold, odd names of members included. */
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

/** A 401 body: mostly of the right shape, with nonsense anywhere in it. */
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
      body: fc.record({ retry_after_ms: fc.constantFrom(0, 1e9) }),
    }),
  },
);

type Step = "submit" | "poll" | "cancel" | "attempt" | "message";
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Step>("submit", "poll") },
  { weight: 1, arbitrary: fc.constantFrom<Step>("cancel", "attempt", "message") },
);

/** How many turns of the event loop's queue something takes. */
const delay = fc.nat({ max: 30 });
const ticks = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i += 1) await undefined;
};

const inputs = fc.record(
  { emailAddress: fc.constant("a@b.c"), phoneCountry: fc.constant("GB"), phoneNumber: fc.string() },
  { requiredKeys: [] },
);

async function take(action: Step, { auth, told }: Conversation): Promise<void> {
  switch (action) {
    case "submit":
      return auth
        .submitAuthDict({ type: told.at(-1)?.[0] ?? "m.login.password" })
        .catch(expectUiaError);
    case "poll":
      return auth.poll();
    case "message":
      return auth.requestEmailToken("b@c.d").catch(expectUiaError);
    case "cancel":
      return auth.cancel();
    case "attempt":
      return void auth.attemptAuth().catch(() => undefined);
  }
}

const expectUiaError = (error: unknown): void => void expect(error).to.be.instanceOf(UiaError);

/** What holds whatever happened. */
function expectSane(conversation: Conversation, thrown: readonly unknown[]): void {
  const { outcome, told, busy, requests, auth } = conversation;
  if (outcome && "error" in outcome) {
    // One of the library's, or the homeserver's own.
    if (!(outcome.error instanceof UiaError)) expect(thrown).to.include(outcome.error);
  } else if (outcome) expect(outcome.value).to.equal(RESULT);
  else expect(told, "an attempt goes on, and nobody was told how").to.not.be.empty;
  expect(busy, "busy, then not, and so on").to.deep.equal(busy.map((_, i) => i % 2 === 0));
  expect(busy.at(-1)).to.not.be.true;
  expect(told.map(([name]) => name)).to.not.include("m.login.dummy");
  for (const [name, { errcode = "", error = "" }] of told) {
    expect(name).to.be.a("string").and.not.equal("");
    expect(errcode).to.be.a("string");
    expect(error).to.be.a("string");
  }
  for (const request of requests) expect(request?.session ?? "").to.be.a("string");
  expect(auth.getSessionId() ?? "").to.be.a("string");
  expect(Object.keys(Object.prototype), "Object.prototype").to.deep.equal([]);
  expect(({} as Record<string, unknown>)["polluted"]).to.be.undefined;
}

describe("InteractiveAuth: for all bodies", () => {
  it("the first answer leads to a stage, or to an error that is the library's or the server's", () =>
    fc.assert(
      fc.asyncProperty(refusal, inputs, async ({ status, body }, given) => {
        const error = matrixError(status, body);
        const conversation = new Conversation(
          Array.from({ length: 9 }, () => fail(error)),
          {
            inputs: given,
          },
        );
        await conversation.begin();
        // A rate limit without an end has an end.
        for (let i = 0; i < 50 && !conversation.outcome && conversation.told.length === 0; i += 1) {
          await idle();
        }
        expectSane(conversation, [error]);
        expect(conversation.requests).to.have.length.at.most(9);
      }),
      { numRuns: 150 },
    ));

  it("the caller's own 401 leads to a stage, to a request, or to an error", () =>
    fc.assert(
      fc.asyncProperty(sometimes(body401), inputs, async (body, given) => {
        const answers: Answer[] = [() => RESULT, () => RESULT];
        const authData = deepFreeze(body) as never;
        const conversation = new Conversation(answers, { inputs: given, authData });
        await conversation.begin();

        expectSane(conversation, []);
      }),
      { numRuns: 150 },
    ));

  it("any course of answers and actions keeps its promises, and ends", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(refusal, delay), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(step, delay), { maxLength: 8 }),
        inputs,
        async (refusals, actions, given) => {
          const errors = refusals.map(([{ status, body }]) => matrixError(status, body));
          const underWay = new Set<Promise<unknown>>();
          let sent = 0;
          const conversation: Conversation = new Conversation([], {
            inputs: given,
            doRequest: async () => {
              // During an attempt, it returns the same promise.
              const attempt = conversation.auth.attemptAuth();
              expect(underWay.has(attempt), "two requests of one attempt at a time").to.be.false;
              underWay.add(attempt);
              const [, wait = 0] = refusals[sent] ?? [];
              const error = errors[sent++];
              await ticks(wait);
              underWay.delete(attempt);
              if (error) throw error;
              return RESULT;
            },
          });
          void conversation.begin();
          const doings: Promise<void>[] = [];
          for (const [action, wait] of actions) {
            await ticks(wait);
            doings.push(take(action, conversation));
          }
          await Promise.all(doings);
          // Until nothing happens anymore: a 429 may have postponed the next request.
          for (let seen = -1; seen !== conversation.requests.length;) {
            seen = conversation.requests.length;
            await idle();
          }

          expectSane(conversation, errors);
          const before = conversation.requests.length;
          conversation.auth.cancel();
          await Promise.all([conversation.poll(), conversation.poll()]);
          expect(conversation.requests, "after the end").to.have.length(before);
        },
      ),
      { numRuns: 300 },
    ));
});
