import { expect } from "@open-wc/testing";
import { UiaError } from "matrix-auth-elements/core";
import { rejectionOf } from "../../support/rejection.ts";
import {
  ADDRESS,
  Conversation,
  Held,
  PASSWORD,
  RESULT,
  ask,
  begun,
  idle,
  refuse,
  succeed,
  UNKNOWN_SESSION,
} from "./uia-harness.ts";

const LOGIN = [[PASSWORD.type]];
const AT_EMAIL = ask([["m.login.email.identity"]]);
const REASON = new Error("The dialog was closed");

/** The two ways to end an attempt. */
const WAYS = {
  "cancel()": (conversation: Conversation) => conversation.auth.cancel(REASON),
  "the AbortSignal": (_: Conversation, controller: AbortController) => controller.abort(REASON),
};

function expectCancelled({ error }: Conversation): void {
  expect(error).to.be.instanceOf(UiaError);
  expect(error).to.include({
    name: "UiaError",
    code: "cancelled",
    message: "The authentication was cancelled",
    cause: REASON,
  });
}

/** An `AbortSignal` that knows how many listen to it. */
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
  describe(`InteractiveAuth: ${name}`, () => {
    let controller: AbortController;
    const options = () => ({ signal: controller.signal });
    beforeEach(() => (controller = new AbortController()));

    it("ends the attempt at a stage, with the reason as its cause", async () => {
      const conversation = await begun([ask(LOGIN)], options());
      end(conversation, controller);
      await idle();

      expectCancelled(conversation);
    });

    it("ends the attempt before the first request, which is never sent", async () => {
      const conversation = new Conversation([], options());
      const begin = conversation.begin();
      end(conversation, controller);
      await begin;

      expectCancelled(conversation);
      expect(conversation.requests).to.deep.equal([]);
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    for (const [answerName, answer] of [
      ["a stage", ask(LOGIN)],
      ["a success", succeed],
      ["a failure", refuse(500)],
      ["a rate limit", refuse(429, { retry_after_ms: 0 })],
    ] as const) {
      it(`ends the attempt while ${answerName} is on its way, which nobody hears of`, async () => {
        const held = new Held();
        const conversation = await begun([held.answer], options());
        end(conversation, controller);
        await idle();
        expectCancelled(conversation);
        expect(conversation.busy).to.deep.equal([true, false]);
        await held.release(answer);

        expectCancelled(conversation);
        expect(conversation.told).to.deep.equal([]);
        expect(conversation.requests).to.have.length(1);
        expect(conversation.busy).to.deep.equal([true, false]);
      });
    }

    it("ends the attempt while a submit is under way, and what waits behind it is never sent", async () => {
      const held = new Held();
      const conversation = await begun([ask(LOGIN), held.answer], options());
      const submits = [1, 2].map(() => conversation.auth.submitAuthDict(PASSWORD));
      await idle();
      end(conversation, controller);
      await held.release(ask(LOGIN));
      await Promise.all(submits);

      expectCancelled(conversation);
      expect(conversation.requests).to.have.length(2);
      expect(conversation.told).to.have.length(1);
    });

    it("ends the attempt while a poll is under way", async () => {
      const held = new Held();
      const conversation = await begun([ask([["m.login.sso"]]), held.answer], options());
      const poll = conversation.auth.poll();
      await idle();
      end(conversation, controller);
      await held.release(succeed);
      await poll;

      expectCancelled(conversation);
    });

    it("ends the attempt while another session is begun, and nothing is submitted again", async () => {
      const held = new Held();
      const conversation = await begun([ask(LOGIN), UNKNOWN_SESSION, held.answer], options());
      const submit = conversation.auth.submitAuthDict(PASSWORD);
      await idle();
      end(conversation, controller);
      await held.release(ask(LOGIN));
      await submit;

      expectCancelled(conversation);
      expect(conversation.requests).to.have.length(3);
    });

    it("ends the attempt while m.login.dummy is under way", async () => {
      const held = new Held();
      const conversation = await begun([ask([["m.login.dummy"]]), held.answer], options());
      end(conversation, controller);
      await held.release(ask([["m.login.dummy"]]));

      expectCancelled(conversation);
      expect(conversation.requests).to.have.length(2);
    });

    it("ends the attempt where it is told of a stage: no message is asked for", async () => {
      const conversation: Conversation = new Conversation([AT_EMAIL], {
        ...options(),
        inputs: { emailAddress: ADDRESS },
        stateUpdated: () => end(conversation, controller),
      });
      await conversation.begin();

      expectCancelled(conversation);
      expect(conversation.mails).to.deep.equal([]);
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("ends the attempt where it is told that it is busy: nothing is sent", async () => {
      const conversation: Conversation = new Conversation([], {
        ...options(),
        busyChanged: () => end(conversation, controller),
      });
      await conversation.begin();

      expectCancelled(conversation);
      expect(conversation.requests).to.deep.equal([]);
      expect(conversation.busy).to.deep.equal([true, false]);
    });

    it("ends the attempt from within its own request, whatever that comes to", async () => {
      for (const answer of [succeed, refuse(500), ask(LOGIN)]) {
        controller = new AbortController();
        const conversation: Conversation = new Conversation([], {
          ...options(),
          doRequest: async (auth, background) => {
            end(conversation, controller);
            return answer(auth, background);
          },
        });
        await conversation.begin();
        expectCancelled(conversation);
      }
    });

    it("changes nothing after a success", async () => {
      const conversation = await begun([succeed], options());
      end(conversation, controller);
      await idle();

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
    });

    it("changes nothing after a failure", async () => {
      const conversation = await begun([refuse(500)], options());
      end(conversation, controller);
      await idle();

      expect(conversation.error).to.have.property("httpStatus", 500);
    });

    it("changes nothing the second time", async () => {
      const conversation = await begun([ask(LOGIN)], options());
      end(conversation, controller);
      conversation.auth.cancel(new Error("again"));
      controller.abort(new Error("again"));
      await idle();

      expectCancelled(conversation);
    });

    it("lets nothing be submitted after it, and sends no poll", async () => {
      const conversation = await begun([ask(LOGIN)], options());
      end(conversation, controller);
      const error = await rejectionOf(conversation.auth.submitAuthDict(PASSWORD));
      await conversation.poll();

      expect(error).to.be.instanceOf(UiaError).with.property("code", "not_attempting");
      expect(conversation.requests).to.have.length(1);
    });
  });
}

describe("InteractiveAuth: the end of an attempt", () => {
  it("does not come by a cancel() before it has begun", async () => {
    const conversation = new Conversation([succeed]);
    conversation.auth.cancel();
    await conversation.begin();

    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("needs no reason", async () => {
    const conversation = await begun([ask(LOGIN)]);
    conversation.auth.cancel();
    await idle();

    expect(conversation.error).to.have.property("code", "cancelled");
    expect(conversation.error).to.have.property("cause", undefined);
  });

  it("comes at once with a signal that has aborted: nothing is sent, nobody is told", async () => {
    const conversation = await begun([], { signal: AbortSignal.abort(REASON) });

    expectCancelled(conversation);
    expect(conversation.requests).to.deep.equal([]);
    expect(conversation.busy).to.deep.equal([]);
  });

  it("comes before the first stage, where the caller has the 401 and cancels at once", async () => {
    const conversation = new Conversation([], {
      inputs: { emailAddress: ADDRESS },
      authData: { flows: [{ stages: ["m.login.email.identity"] }] },
    });
    const begin = conversation.begin();
    conversation.auth.cancel(REASON);
    await begin;

    expectCancelled(conversation);
    expect(conversation.told).to.deep.equal([]);
    expect(conversation.mails).to.deep.equal([]);
  });

  it("takes what was known of the session with it", async () => {
    const held = new Held();
    const params = { [PASSWORD.type]: 1 };
    const conversation = await begun([ask([[PASSWORD.type, "x"]], { params }), held.answer]);
    conversation.auth.cancel();
    await idle();
    await conversation.begin();

    expect(conversation.auth.getSessionId()).to.be.null;
    expect(conversation.auth.getChosenFlow()).to.be.undefined;
    expect(conversation.auth.getStageParams(PASSWORD.type)).to.be.undefined;
    conversation.auth.cancel();
  });

  it("is followed by another session, where it was cancelled", async () => {
    const conversation = await begun([ask(LOGIN), ask(LOGIN, { session: "next" }), succeed]);
    conversation.auth.cancel();
    await conversation.begin();
    expect(conversation.requests).to.deep.equal([null, null]);
    await conversation.submit(PASSWORD);

    expect(conversation.requests[2]).to.deep.equal({ ...PASSWORD, session: "next" });
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("keeps what is still on its way out of the next attempt", async () => {
    for (const late of [succeed, refuse(500), ask([["m.login.terms"]], { session: "late" })]) {
      const held = new Held();
      const conversation = await begun([ask(LOGIN), held.answer, ask(LOGIN), succeed]);
      const submit = conversation.auth.submitAuthDict(PASSWORD);
      await idle();
      conversation.auth.cancel();
      await idle();
      await conversation.begin();
      await held.release(late);
      await submit;
      expect(conversation.outcome).to.be.undefined;
      expect(conversation.stages).to.deep.equal([PASSWORD.type, PASSWORD.type]);
      await conversation.submit(PASSWORD);

      expect(conversation.outcome).to.deep.equal({ value: RESULT });
      expect(conversation.busy).to.deep.equal([true, false, true, false, true, false, true, false]);
    }
  });

  it("leaves the next attempt its session, whatever is still on its way", async () => {
    const held = new Held();
    const conversation = await begun([ask(LOGIN), held.answer, ask(LOGIN), refuse(500), succeed]);
    void conversation.auth.submitAuthDict(PASSWORD);
    await idle();
    conversation.auth.cancel();
    await idle();
    await conversation.begin();
    await held.release(succeed);
    await conversation.submit(PASSWORD);
    expect(conversation.error).to.have.property("httpStatus", 500);
    await conversation.begin();
    await conversation.submit(PASSWORD);

    expect(conversation.requests).to.have.length(5);
    expect(conversation.outcome).to.deep.equal({ value: RESULT });
  });

  it("may be followed by the next attempt from within the listener that cancels", async () => {
    let cancelled = false;
    const conversation: Conversation = new Conversation([AT_EMAIL, ask(LOGIN)], {
      stateUpdated: () => {
        if (cancelled) return;
        cancelled = true;
        conversation.auth.cancel();
        conversation.auth.attemptAuth().catch(() => undefined);
      },
    });
    await conversation.begin();

    expect(conversation.stages).to.deep.equal(["m.login.email.identity", PASSWORD.type]);
    expect(conversation.requests).to.deep.equal([null, null]);
  });

  for (const [name, answers, finish] of [
    ["a success", [succeed], () => undefined],
    ["a failure", [refuse(500)], () => undefined],
    ["cancel()", [ask(LOGIN)], ({ auth }: Conversation) => auth.cancel()],
  ] as const) {
    it(`leaves no listener on the signal, by ${name}`, async () => {
      const { controller, listeners } = countedSignal();
      const conversation = new Conversation(answers, { signal: controller.signal });
      const begin = conversation.begin();
      expect(listeners()).to.equal(1);
      await begin;
      finish(conversation);

      expect(listeners()).to.equal(0);
    });
  }

  it("comes once for each attempt, however many the signal has seen", async () => {
    const { controller, listeners } = countedSignal();
    const conversation = new Conversation([refuse(500), refuse(500), ask(LOGIN)], {
      signal: controller.signal,
    });
    for (let i = 0; i < 3; i += 1) await conversation.begin();

    expect(listeners()).to.equal(1);
    controller.abort(REASON);
    await idle();
    expectCancelled(conversation);
  });
});
