import { expect } from "@open-wc/testing";
import { Clock } from "../../support/clock.ts";
import { restoreStubs } from "../../support/stub.ts";
import {
  SESSION,
  SSO,
  UiaHarness,
  challenge,
  poll,
  refuse,
  succeed,
  runUia,
} from "./uia-harness.ts";

const BARE = { session: SESSION };
const TYPED = { session: SESSION, type: "m.oauth" };
const NEW = { session: "new" };
const INVALID_BODY = refuse(400, { errcode: "M_INVALID_PARAM" });
const AT_OAUTH = challenge([["m.oauth"]]);
const AT_NEW = challenge([["m.oauth"]], NEW);

describe("InteractiveAuth's poll() at m.oauth", () => {
  let clock: Clock;
  beforeEach(() => (clock = new Clock()));
  afterEach(restoreStubs);

  for (const stage of ["m.oauth", "org.matrix.cross_signing_reset"]) {
    it(`sends the session alternately alone and with the type m.oauth at ${stage}`, () =>
      runUia(
        [...Array.from({ length: 4 }, () => challenge([[stage]])), succeed],
        [(harness: UiaHarness) => harness.poll(4)],
        { requests: [null, BARE, TYPED, BARE, TYPED], outcome: "resolved" },
      ));
  }

  it("stops sending only the session when the homeserver rejects it", () =>
    runUia([AT_OAUTH, INVALID_BODY, AT_OAUTH, AT_OAUTH, succeed], [(harness) => harness.poll(4)], {
      requests: [null, BARE, TYPED, TYPED, TYPED],
      stages: ["m.oauth"],
      outcome: "resolved",
    }));

  it("stops sending the type when the homeserver rejects that", () =>
    runUia([AT_OAUTH, AT_OAUTH, INVALID_BODY, AT_OAUTH, succeed], [(harness) => harness.poll(4)], {
      requests: [null, BARE, TYPED, BARE, BARE],
      outcome: "resolved",
    }));

  it("starts a new session, once, when the homeserver rejects both", () =>
    runUia([AT_OAUTH, INVALID_BODY, INVALID_BODY, AT_NEW, INVALID_BODY], [poll, poll, poll], {
      requests: [null, BARE, TYPED, null, { ...TYPED, ...NEW }],
      outcome: "400 M_INVALID_PARAM",
    }));

  it("ends the attempt with a 401 without stages", () =>
    runUia([AT_OAUTH, refuse(401, { errcode: "M_UNKNOWN_TOKEN" })], [poll], {
      outcome: "401 M_UNKNOWN_TOKEN",
    }));

  for (const [name, failure, updates] of [
    ["a 429", refuse(429, { retry_after_ms: 0 }), 1],
    ["a 500", refuse(500), 2],
    ["a proxy's 403", refuse(403), 2],
    ["a 408", refuse(408, { errcode: "M_UNKNOWN" }), 2],
  ] as const) {
    it(`continues with both bodies after ${name}`, () =>
      runUia(
        [AT_OAUTH, failure, AT_OAUTH, succeed],
        [
          poll,
          ({ updates: { length } }: UiaHarness) => expect(length).to.equal(updates),
          () => clock.jump(1000),
          poll,
          poll,
        ],
        { requests: [null, BARE, TYPED, BARE], outcome: "resolved" },
      ));
  }

  it("sends both bodies with the new session when the old one is unknown", () =>
    runUia(
      [AT_OAUTH, refuse(400, { errcode: "M_UNKNOWN" }), AT_NEW, AT_NEW, AT_NEW],
      [(harness) => harness.poll(3)],
      { requests: [null, BARE, null, { ...TYPED, ...NEW }, NEW] },
    ));

  it("starts a new session at any other stage when the homeserver rejects a session without a stage", () =>
    runUia([challenge([[SSO]]), INVALID_BODY, challenge([[SSO]], NEW)], [poll], {
      requests: [null, BARE, null],
      lastStatus: { restarted: true },
    }));
});
