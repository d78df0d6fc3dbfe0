import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OidcError } from "matrix-auth-elements/core";
import type { Endpoint, Row, Step } from "./bend.js";
import { ROWS } from "./cases/index.js";
import { openStage, type Played, type Stage } from "./play.js";
import type { World } from "./world.js";

const STEPS: readonly Step[] = ["nothing", "discovery", "registration", "authorization", "token"];

const STEP_OF: Readonly<Record<Endpoint, Step>> = {
  "well-known": "discovery",
  auth_metadata: "discovery",
  "unstable auth_metadata": "discovery",
  auth_issuer: "discovery",
  document: "discovery",
  registration: "registration",
  authorization: "authorization",
  token: "token",
  refresh: "token",
  revocation: "token",
  "device authorization": "authorization",
  "device token": "token",
  api: "token",
  keys: "discovery",
  elsewhere: "nothing",
};

const reached = ({ requests }: World): Step =>
  requests
    .map(({ endpoint }) => STEP_OF[endpoint])
    .reduce((far, step) => (STEPS.indexOf(step) > STEPS.indexOf(far) ? step : far), "nothing");

describe("Hostile providers", { timeout: 600_000 }, () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  describe("each is refused, and its honest twin accepted", { concurrency: 8 }, () => {
    for (const row of ROWS) {
      it(`${row.id}: ${row.refused.message} (${row.refused.code})`, async () => {
        assertRefused(row, await stage.play(row.bent));
        assertAccepted(await stage.play(row.twin));
      });
    }
  });

  it("leaves no rejection unhandled, and no prototype changed", async () => {
    assert.deepEqual(await stage.warnings(), []);
  });
});

function assertRefused({ refused, reaches, keeps, also }: Row, played: Played): void {
  const { world, outcome, codeVerifier } = played;
  assert.ok(!outcome.ok, "The hostile provider was believed");
  const { name, message, code } = outcome;
  assert.deepEqual(
    { name, message, code },
    { name: "OidcFlowError", message: OidcError[refused.message], code: refused.code },
    outcome.texts,
  );
  assert.equal(reached(world), reaches, "How far the login went");
  // What may succeed when it is tried again stays; of anything else, nothing does.
  assert.equal(
    outcome.kept.length,
    Number(outcome.retryable || keeps === true) * Number(codeVerifier !== undefined),
    "What is left in the storages",
  );
  assertNothingTold(played, codeVerifier);
  assertNothingIn(outcome.texts, secretsOf(played), "The error");
  also?.({ ...outcome, world, waits: played.waits ?? [] });
}

function assertAccepted(played: Played): void {
  const { world, outcome } = played;
  assert.ok(outcome.ok, `The honest twin was refused: ${outcome.ok || outcome.texts}`);
  const { accessToken } = outcome;
  assert.ok(
    [world.idp, world.other].some(({ accessTokens }) => accessTokens.at(-1) === accessToken),
    "The token is another than the provider gave",
  );
  assertNothingTold(played);
}

/**
 * Nobody but a provider, and whom the caller allowed by name, hears its codes and tokens; and a page
 * that refuses tells nobody else its verifier.
 */
function assertNothingTold({ world, allowed }: Played, codeVerifier?: string): void {
  for (const { to, text } of world.requests) {
    if (to !== "stranger" && allowed.includes(world[to].origin)) continue;
    const secrets = [
      ...(to === "idp" ? [] : world.idp.secrets),
      ...(to === "other" ? [] : world.other.secrets),
      ...(to === "idp" || !codeVerifier ? [] : [codeVerifier]),
    ];
    assertNothingIn(text, secrets, `The request to ${to}`);
    assert.ok(!/"(cookie|referer|authorization)":/.test(text), `The request to ${to}: ${text}`);
  }
}

const secretsOf = ({ world, codeVerifier }: Played): readonly string[] => [
  ...world.idp.secrets,
  ...world.other.secrets,
  ...(codeVerifier ? [codeVerifier] : []),
];

function assertNothingIn(text: string, secrets: readonly string[], where: string): void {
  for (const secret of secrets) {
    assert.ok(secret === "" || !text.includes(secret), `${where} holds ${secret}: ${text}`);
  }
}
