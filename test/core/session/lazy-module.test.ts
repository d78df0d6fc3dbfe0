import { expect } from "@open-wc/testing";
import { OidcError } from "matrix-auth-elements/core";
// It is internal: a page's failed import can't be tried again in a test.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import { LazyModule } from "../../../dist/core/session/lazy-module.js";
import { Clock } from "../../support/clock.ts";
import { expectFlowError } from "../../support/rejection.ts";
import { restoreStubs } from "../../support/stub.ts";

describe("A module that is loaded when it is needed", () => {
  afterEach(restoreStubs);

  it("is loaded only once", async () => {
    let loads = 0;
    const module = new LazyModule(() => Promise.resolve((loads += 1)));
    expect(module.module).to.be.undefined;
    expect(await Promise.all([module.load(), module.load()])).to.deep.equal([1, 1]);
    expect(module.module).to.equal(1);
  });

  it("is loaded again after a failure, which has the code load_failed", async () => {
    const results = [Promise.reject(new TypeError("Failed to fetch")), Promise.resolve(1)];
    const module = new LazyModule(() => results.shift() ?? Promise.resolve(2));
    await expectFlowError(module.load(), OidcError.LoadFailed, "load_failed");
    expect(await module.load()).to.equal(1);
  });

  it("is loaded again for a call that has joined a failed load", async () => {
    const results = [Promise.reject(new TypeError("Failed to fetch")), Promise.resolve(2)];
    const module = new LazyModule(() => results.shift() ?? Promise.resolve(3));
    const calls = await Promise.allSettled([module.load(), module.load(), module.load()]);
    expect(calls.map(({ status }) => status)).to.deep.equal(["rejected", "fulfilled", "fulfilled"]);
    expect(await module.load()).to.equal(2);
  });

  it("rejects with aborted for a caller that aborts", async () => {
    const module = new LazyModule(() => new Promise(() => undefined));
    const controller = new AbortController();
    const waiting = module.load(controller.signal);
    controller.abort();
    await expectFlowError(waiting, OidcError.RefreshTokenFailed, "aborted");
  });

  it("keeps no caller waiting forever", async () => {
    const clock = new Clock();
    const module = new LazyModule(() => new Promise(() => undefined));
    const waiting = expectFlowError(module.load(), OidcError.LoadFailed, "load_failed");
    await clock.passUntil(waiting);
  });

  it("can be provided by a service worker", async () => {
    const module = new LazyModule<number>(() => Promise.reject(new TypeError("Disallowed")));
    module.provide(3);
    expect(await module.load()).to.equal(3);
  });
});
