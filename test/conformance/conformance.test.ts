// The tier over real HTTP, where a browser's own rules apply: CORS, redirects, connections.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertLoginAccepted, assertLoginRefused, titleOfLogin } from "./assert-login.js";
import { assertSessionAccepted, assertSessionRefused, titleOfSession } from "./assert-session.js";
import { POPUP_ROWS, ROWS, SESSION_ROWS } from "./cases/index.js";
import { openHttpTier, type HttpTier } from "./http-tier.js";
import { createEnvironment } from "./environment.js";
import type { Deviation } from "./row.js";
import { runLogin, runSession } from "./run-login.js";
import { SUITE } from "../support/wait-for.mjs";

describe("Over HTTP", SUITE, () => {
  let tier: HttpTier;
  before(async () => {
    tier = await openHttpTier();
  });
  after(() => tier.close());

  describe(
    "each deviation is rejected, and its honest control is accepted",
    { concurrency: 16 },
    () => {
      for (const row of ROWS) {
        it(titleOfLogin(row), async () => {
          assertLoginRefused(row, await runLogin(tier, row.deviation));
          assertLoginAccepted(await runLogin(tier, row.control));
        });
      }
      for (const row of SESSION_ROWS) {
        it(titleOfSession(row), async () => {
          assertSessionRefused(row, await runSession(tier, row.deviation));
          assertSessionAccepted(row, await runSession(tier, row.control));
        });
      }
      for (const { id, deviation, control } of POPUP_ROWS) {
        it(`${id}: the page that opened it stays as it was, and the user is signed in`, async () => {
          await assertPopupSignsIn(deviation);
          await assertPopupSignsIn(control);
        });
      }
    },
  );

  const assertPopupSignsIn = async (deviation: Deviation): Promise<void> => {
    const { homeserver, idp, requests } = createEnvironment(tier.network, tier.app, deviation);
    const { host } = new URL(homeserver.origin);
    const { events, path, accessToken } = await tier.signInByPopup(host);
    assert.deepEqual({ events, path }, { events: ["oidc-success"], path: "/popup" });
    assert.equal(accessToken, idp.accessTokens.at(-1));
    const elsewhere = requests.filter(({ endpoint }) => endpoint === "elsewhere");
    assert.deepEqual(elsewhere, []);
  };

  it("no rejection was left unhandled, and no prototype changed", async () => {
    assert.deepEqual(await tier.warnings(), []);
  });
});
