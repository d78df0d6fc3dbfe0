import { expect } from "@open-wc/testing";
import { InteractiveAuth } from "matrix-auth-elements/core";
import {
  LOGIN,
  PASSWORD,
  RESULT,
  SSO,
  UiaHarness,
  challenge,
  idle,
  poll,
  startUia,
  succeed,
  runUia,
} from "./uia-harness.ts";

const AT_SSO = challenge([[SSO]]);

describe("InteractiveAuth's busyChanged", () => {
  it("calls busyChanged when a request in the foreground starts and ends", () =>
    runUia(
      [challenge(LOGIN), challenge(LOGIN, { errcode: "M_FORBIDDEN" }), succeed],
      [PASSWORD, PASSWORD],
      { busy: [true, false, true, false, true, false], outcome: "resolved" },
    ));

  it("calls busyChanged once for submissions that are queued", () =>
    runUia(
      [1, 2, 3, 4].map(() => challenge(LOGIN)),
      [(harness) => Promise.all([1, 2, 3].map(() => harness.submit(PASSWORD)))],
      { busy: [true, false, true, false] },
    ));

  it("does not call busyChanged for polls and submissions in the background", () =>
    runUia([AT_SSO, AT_SSO, AT_SSO], [poll, (harness) => harness.submit({ type: SSO }, true)], {
      backgrounds: [false, true, true],
      busy: [true, false],
    }));

  it("calls busyChanged before submitAuthDict() returns", async () => {
    const harness = await startUia([challenge(LOGIN), succeed]);
    void harness.auth.submitAuthDict(PASSWORD);

    expect(harness.busy.at(-1)).to.be.true;
    await idle();
  });

  it("calls busyChanged with false before the attempt resolves", async () => {
    const harness = new UiaHarness([succeed]);
    const busy = await harness.auth.attemptAuth().then(() => [...harness.busy]);

    expect(busy).to.deep.equal([true, false]);
    harness.expect({ busy: [true, false] });
  });

  it("rejects with the error that busyChanged throws", async () => {
    const thrown = new Error("a bug in the page");
    const harness = await startUia([], {
      busyChanged: (busy) => {
        if (busy) throw thrown;
      },
    });

    expect(harness.error).to.equal(thrown);
    harness.expect({ requests: [] });
  });

  it("works without busyChanged and other options", async () => {
    const auth = new InteractiveAuth({
      matrixClient: {},
      doRequest: async (authData) => (authData ? RESULT : challenge(LOGIN)(authData, false)),
      stateUpdated: () => undefined,
      requestEmailToken: async () => ({ sid: "1" }),
    });
    const result = auth.attemptAuth();
    await idle();
    await auth.submitAuthDict(PASSWORD);

    expect(await result).to.equal(RESULT);
  });
});
