import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { OidcError } from "matrix-auth-elements/core";
import type { Endpoint, Refusal, SessionRow } from "./bend.js";
import { SESSION_ROWS } from "./cases/index.js";
import { openStage, type PlayedSession, type Stage } from "./play.js";
import { told } from "./told.js";
import type { Logged, World } from "./world.js";

describe("Sessions with hostile providers and homeservers", { timeout: 600_000 }, () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  describe("each is refused, and its honest twin accepted", { concurrency: 8 }, () => {
    for (const row of SESSION_ROWS) {
      it(`${row.id}: ${nameOf(row.refused)}, ${row.leaves}`, async () => {
        assertRefused(row, await stage.playSession(row.bent));
        assertAccepted(row, await stage.playSession(row.twin));
      });
    }
  });

  it("leaves no rejection unhandled, and no prototype changed", async () => {
    assert.deepEqual(await stage.warnings(), []);
  });
});

function nameOf(refused: Refusal): string {
  if (typeof refused === "string") return refused;
  if ("status" in refused) return [refused.status, refused.errcode ?? ""].join(" ").trim();
  return `${refused.message} (${[refused.code, refused.because ?? ""].join(" ").trim()})`;
}

function assertRefused(row: SessionRow, played: PlayedSession): void {
  const { lived, world, requests } = played;
  const { outcome, state, stored, events } = lived;
  assert.ok(!outcome.ok, "The hostile answer was believed");
  const { name, message, code, because } = outcome;
  const { refused } = row;
  if (typeof refused === "string") assert.equal(name, refused, outcome.texts);
  else {
    assert.deepEqual(
      { name, message, code, because },
      "status" in refused
        ? {
            name: "Response",
            message: String(refused.status),
            code: refused.errcode,
            because: undefined,
          }
        : {
            name: "OidcFlowError",
            message: OidcError[refused.message],
            code: refused.code,
            because: refused.because,
          },
      outcome.texts,
    );
  }
  assert.equal(state, row.leaves, "What the session is then");
  assert.deepEqual(
    requests.map((request) => told(request, world)),
    row.asked,
    "What was asked since the login",
  );
  // What a person is still signed in with is as it was, to be tried again; of anything else nothing is.
  const [before, now] = stored;
  if (state !== "signed-in") assert.equal(now, null, "What is left in the store");
  else if (row.renewed) assert.notEqual(now, before, "The new tokens are not kept");
  else assert.equal(now, before, "What the store has");
  const endings = events.filter((event) => event !== "changed");
  assert.deepEqual(
    endings,
    { "signed-in": [], "signed-out": ["ended"], "soft-logout": ["ended softly"] }[state],
  );
  assertKept(played);
  for (const secret of [...world.idp.secrets, ...world.other.secrets]) {
    assert.ok(!outcome.texts.includes(secret), `The error holds ${secret}: ${outcome.texts}`);
  }
  row.also?.(lived);
}

function assertAccepted({ twinAsked, twinGives }: SessionRow, played: PlayedSession): void {
  const { world, lived, requests } = played;
  const { outcome } = lived;
  assert.ok(outcome.ok, `The honest twin was refused: ${outcome.ok || JSON.stringify(outcome)}`);
  const good = twinGives === undefined ? goodValues(world) : [twinGives];
  assert.ok(good.includes(outcome.value), `The page got ${outcome.value}`);
  assert.equal(lived.state, outcome.value === "revoked" ? lived.state : "signed-in");
  if (twinAsked) {
    assert.deepEqual(
      requests.map((request) => told(request, world)),
      twinAsked,
      "What the honest twin asked since the login",
    );
  }
  assertKept(played);
}

const goodValues = ({ idp }: World): readonly (string | undefined)[] => [
  idp.accessTokens.at(-1),
  '{"user_id":"@alice:homeserver"}',
  "revoked",
];

/** To these a client says who it is. */
const BY_CLIENT: readonly Endpoint[] = ["refresh", "revocation"];

/**
 * Refresh tokens go to the issuer's own endpoints alone, access tokens to the homeserver too, in their
 * header; and the issuer is spoken to as RFC 6749 and 7009 have it of a client without a secret.
 */
function assertKept({ world, requests }: PlayedSession): void {
  for (const request of requests) {
    const { to, endpoint, method, headers, query, body } = request;
    const form = new URLSearchParams(body);
    for (const secret of secretsKeptFrom(request, world)) {
      assert.ok(!request.text.includes(secret), `${to} was sent ${secret}: ${request.text}`);
    }
    assert.ok(!headers.cookie, request.text);
    // What `fetch` sends besides the token is up to the caller.
    if (endpoint === "api" && to === "homeserver") continue;
    assert.ok(!headers.authorization, `The request to ${to}: ${request.text}`);
    if (endpoint === "elsewhere") continue;
    assert.equal(headers.referer, undefined);
    if (to !== "idp" || !BY_CLIENT.includes(endpoint)) continue;
    assert.equal(method, "POST");
    assert.match(headers["content-type"] ?? "", /^application\/x-www-form-urlencoded\b/);
    assert.equal(query.size, 0, "A parameter in the address");
    assert.match(form.get("client_id") ?? "", /^client-/);
    assert.deepEqual([...form.keys()].sort(), [
      "client_id",
      ...(endpoint === "refresh" ? ["grant_type", "refresh_token"] : ["token", "token_type_hint"]),
    ]);
  }
}

function secretsKeptFrom({ to, endpoint, headers }: Logged, { idp }: World): readonly string[] {
  if (to === "idp" && BY_CLIENT.includes(endpoint)) return [];
  const inHeader = to === "homeserver" && endpoint === "api" ? headers.authorization : undefined;
  return idp.secrets.filter((secret) => inHeader !== `Bearer ${secret}`);
}
