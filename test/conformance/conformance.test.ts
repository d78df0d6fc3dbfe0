// The tier over real HTTP, where a browser's own rules apply: CORS, redirects, connections.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { assertLoginAccepted, assertLoginRefused, titleOfLogin } from "./assert-login.js";
import { assertSessionAccepted, assertSessionRefused, titleOfSession } from "./assert-session.js";
import { ROWS, SESSION_ROWS } from "./cases/index.js";
import { openHttpTier, type HttpTier } from "./http-tier.js";
import { runLogin, runSession } from "./run-login.js";

describe("Over HTTP", { timeout: 600_000 }, () => {
  let tier: HttpTier;
  before(async () => {
    tier = await openHttpTier();
  });
  after(() => tier.close());

  describe(
    "each deviation is refused, and its honest control accepted",
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
    },
  );

  it("no rejection was left unhandled, and no prototype changed", async () => {
    assert.deepEqual(await tier.warnings(), []);
  });
});
