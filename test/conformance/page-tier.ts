// The tier that runs in a page of the browser tests. The servers are behind `fetch`, and waits are short.
import { assertLoginAccepted, assertLoginRefused, titleOfLogin } from "./assert-login.js";
import { assertSessionAccepted, assertSessionRefused, titleOfSession } from "./assert-session.js";
import { checkEqual } from "./check.js";
import { complete, start } from "./login-steps.js";
import { PageNetwork } from "./page-network.js";
import type { Row, SessionRow } from "./row.js";
import { runLogin, runSession, type Steps, type Tier } from "./run-login.js";
import * as sessionSteps from "./session-steps.js";
import { leaveNetwork, reachTimeLimits, restoreWaits, shortenWaits } from "./short-waits.js";

/** The steps. The network decides when a sign-in's requests reach their time limits. */
const steps: Steps = {
  ...sessionSteps,
  start: (settings) => {
    shortenWaits(settings.timeoutMs);
    return start(settings);
  },
  complete: (callbackUrl, state, settings) => {
    shortenWaits(settings.timeoutMs);
    return complete(callbackUrl, state, settings);
  },
};
const APP = "http://127.0.0.1:8080";

/** Registers a test for each row on a sign-in. */
export function testLogins(rows: readonly Row[]): void {
  const tier = inThisPage();
  for (const row of rows) {
    it(titleOfLogin(row), async () => {
      assertLoginRefused(row, await runLogin(tier, row.deviation));
      assertLoginAccepted(await runLogin(tier, row.control));
    });
  }
}

/** Registers a test for each row on a session. */
export function testSessions(rows: readonly SessionRow[]): void {
  const tier = inThisPage();
  for (const row of rows.filter(({ needsHttp }) => !needsHttp)) {
    it(titleOfSession(row), async () => {
      assertSessionRefused(row, await runSession(tier, row.deviation));
      assertSessionAccepted(row, await runSession(tier, row.control));
    });
  }
}

function inThisPage(): Tier {
  const network = new PageNetwork();
  network.onStall = reachTimeLimits;
  const { fetch } = globalThis;
  beforeEach(() => {
    sessionStorage.clear();
    leaveNetwork();
    globalThis.fetch = network.fetch;
  });
  afterEach(() => {
    globalThis.fetch = fetch;
    restoreWaits();
    const inherited: string[] = [];
    for (const name in {}) inherited.push(name);
    checkEqual(inherited, [], "Members of a prototype");
  });
  return { network, app: APP, steps };
}
