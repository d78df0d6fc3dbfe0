import { expect } from "@open-wc/testing";
// The decisions are internal, and have a table in docs/development/session.md.
// eslint-disable-next-line @typescript-eslint/no-restricted-imports
import {
  decide,
  placeOf,
  type Known,
  type Place,
  type Step,
} from "../../../dist/core/session/decide.js";

type Found = Parameters<typeof decide>[1];
type SessionRecord = Known["record"];

const OWN: SessionRecord = {
  kind: "legacy",
  id: "own",
  version: 3,
  replaces: ["older"],
  homeserverUrl: "https://matrix.example",
  userId: "@alice:example",
  deviceId: "DEVICE",
  tokenResponse: { access_token: "token", token_type: "Bearer" },
};
const found = (record?: Partial<SessionRecord>): Found => ({
  ...(record && { record: { ...OWN, ...record } as SessionRecord }),
});
const later = found({ version: 4 });
const softLogout = found({ state: "soft-logout" });
const replaced = found({ id: "older", version: 9 });
const other = found({ id: "other" });
const ended: Found = { ended: { ...OWN, id: "other" } };
const foreign: Found = { isForeign: true };

const CONTINUE: Step = { kind: "continue" };
const end = (state: "signed-out" | "soft-logout", reason: "signed-out" | "refused" | "replaced") =>
  ({ kind: "end", end: { state, reason } }) as const;

describe("A tab that reads the store of its session", () => {
  const steps: readonly (readonly [string, Found, Step, Step])[] = [
    [
      "a later version",
      later,
      ...twice<Step>({ kind: "accept", record: later.record as SessionRecord }),
    ],
    ["the same version", found({}), ...twice(CONTINUE)],
    ["an older version", found({ version: 2 }), ...twice(CONTINUE)],
    ["a soft logout", softLogout, ...twice(end("soft-logout", "refused"))],
    ["a sign-in that this one has replaced", replaced, ...twice<Step>({ kind: "restore" })],
    [
      "another sign-in",
      other,
      { ...end("signed-out", "replaced"), successor: other.record as SessionRecord },
      CONTINUE,
    ],
    ["nothing", found(), { kind: "ask" }, CONTINUE],
    ["a session that was signed out", ended, end("signed-out", "signed-out"), CONTINUE],
    ["an item that is not a session's", foreign, ...twice(CONTINUE)],
  ];
  for (const [what, content, stored, inPage] of steps) {
    it(`and finds ${what}: ${stored.kind}, or ${inPage.kind} if the session exists only in pages`, () => {
      expect(decide({ record: OWN, isKept: true }, content)).to.deep.equal(stored);
      expect(decide({ record: OWN, isKept: false }, content)).to.deep.equal(inPage);
    });
  }

  const writes: readonly (readonly [string, Found, Place, Place])[] = [
    ["an older version", found({ version: 2 }), ...twice("store")],
    ["the same version", found({}), ...twice("none")],
    ["a later version", later, ...twice("none")],
    ["a soft logout", softLogout, ...twice("none")],
    [
      "a soft logout of an older version",
      found({ state: "soft-logout", version: 2 }),
      ...twice("none"),
    ],
    ["a sign-in that this one has replaced", replaced, ...twice("store")],
    ["another sign-in", other, "none", "pages"],
    ["nothing", found(), "none", "store"],
    ["a session that was signed out", ended, "none", "store"],
    ["an item that is not a session's, which fails", foreign, ...twice("store")],
  ];
  for (const [what, content, stored, inPage] of writes) {
    it(`and finds ${what}: the place of its next record is ${stored}, or ${inPage} if the session exists only in pages`, () => {
      expect(placeOf({ record: OWN, isKept: true }, content)).to.equal(stored);
      expect(placeOf({ record: OWN, isKept: false }, content)).to.equal(inPage);
    });
  }

  it("and finds nothing, because another tab could not store its tokens: these go to the store", () => {
    expect(placeOf({ record: OWN, isKept: true }, found(), true)).to.equal("store");
    expect(placeOf({ record: OWN, isKept: true }, other, true)).to.equal("none");
  });

  it("and finds nothing, but a mark that it was signed out or replaced: its tokens stay in pages", () => {
    for (const isKept of [true, false]) {
      const known = { record: OWN, isKept, isMarked: true };
      expect(placeOf(known, found(), true)).to.equal("pages");
      expect(placeOf(known, ended, true)).to.equal("none");
      expect(placeOf(known, found({ version: 2 }))).to.equal("store");
    }
  });
});

/** Whether the store has the record makes no difference. */
function twice<const T>(result: T): [T, T] {
  return [result, result];
}
