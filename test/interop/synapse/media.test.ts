// Authenticated media of a real Synapse, which does not support ranges, through the page's service worker.
import { after, before, describe, it } from "node:test";
import { freshName } from "../../contract/api-client.js";
import { useBrowser } from "../../e2e/fixture.js";
import { assertMediaNeedsWorker, startMediaPages } from "../application/media.js";
import type { Loopback } from "./loopback.js";
import { startSynapse, type Synapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

describe("Authenticated media of Synapse", SUITE, () => {
  const browser = useBrowser();
  let server: Synapse;
  let pages: Loopback;

  before(async () => {
    server = await startSynapse();
    pages = await startMediaPages();
  });
  after(() => Promise.all([server.close(), pages.close()]));

  it("is shown and played with the worker, and hidden from everyone else", async () => {
    const account = { user: freshName(), password: "a-long-password" };
    await server.createAccount(account);
    const tab = await browser.profile.newTab();
    await assertMediaNeedsWorker(tab, pages, server.baseUrl, account);
  });
});
