import { expect } from "@open-wc/testing";

const SCRIPT = new URL("../support/worker.ts", import.meta.url);
const WORKS = { baseUrl: "https://hs.example", globals: [] };

/** A worker's response. */
const responseOf = (worker: Worker | ServiceWorker): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => reject(new Error("the worker failed"));
    worker.postMessage("", [port2]);
  });

describe("The package in workers of the browser", () => {
  it("A worker imports every entry, without getting a page's globals", async () => {
    const worker = new Worker(SCRIPT, { type: "module" });
    expect(await responseOf(worker)).to.deep.equal(WORKS);
    worker.terminate();
  });

  it("A service worker imports every entry, without getting a page's globals", async () => {
    const registration = await navigator.serviceWorker.register(SCRIPT, {
      type: "module",
      scope: new URL("never/", SCRIPT).href,
    });
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    expect(worker && (await responseOf(worker))).to.deep.equal(WORKS);
    await registration.unregister();
  });
});
