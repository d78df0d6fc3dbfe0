import type { Schedule } from "./schedules.ts";
import type { Setup } from "./simulation.ts";

const at = (store: Setup["store"], locks: "locks" | "leases", kind: Setup["kind"] = "oauth"): Setup => ({
  kind,
  store,
  hasLocks: locks === "locks",
  isDeaf: false,
  isUsed: false,
});

/** The open tabs use their sessions at the end. */
const used = (...where: Parameters<typeof at>): Setup => ({ ...at(...where), isUsed: true });

/** Schedules that have failed once, or that fail without one line of the core, as short as possible. */
export const FOUND: readonly (readonly [rule: string, ...schedule: Schedule])[] = [
  ["a sign-in is stored although the older session has just been removed", at("indexedDB", "leases"), ["C sign in alice", "A sign out"]],
  ["a sign-in of another user is stored during the sign-out of the first", at("custom", "locks"), ["B sign in bob", "A sign out", "run 0"]],
  [
    "a reading that began before a sign-in was stored does not end it",
    at("custom", "locks"),
    ["A sign in alice", "run 0 0", "B sign out", "run 0 0 1", "run 0 0 3 0 0", "run 0 0 0 1 1", "run 1 4 1 4", "run 1 1 3 0"],
  ],
  ["a session that is read during its sign-out ends", at("custom", "locks"), ["A sign out", "run 0", "B open", "B freeze", "run 0 0 0 0 0 0 0 0 0 0 0"]],
  ["a sign-out leaves the session of another user in the store", at("files", "leases"), ["B sign in alice", "B sign out"]],
  ["a sign-out is sent although the page closes", at("indexedDB", "leases"), ["A sign out", "A close"]],
  ["a sign-out ends a session that has moved to IndexedDB", at("moving", "leases"), ["A sign out"]],
  ["a sign-out ends a session that moves to IndexedDB now", at("moving", "leases"), ["B open", "B sign out", "A sign in alice", "run 0 0 2 0 2 0", "A sign out"]],
  ["a sign-out ends a session that is in both storages", at("moving", "leases"), ["A refresh", "run 0 0 0 0 0 0 0 0", "run 0 0 0 0 0 0 0", "run 0 0 0 0", "run 0 0 0 0", "run 0", "A sign out"]],
  ["a move to IndexedDB leaves another user's session there", at("moving", "leases"), ["A sign in bob", "C open", "A sign out"]],
  ["an open tab follows its session to IndexedDB", at("moving", "leases"), ["A sign in alice", "run 0 0", "B sign out", "A sign in alice"]],
  ["tokens that arrive late do not overwrite another sign-in", at("indexedDB", "leases"), ["A refresh", "run 0 0 0 0 0 0 0 0 0 0 0 0", "A sign in alice", "run 1 2"]],
  ["two tabs refresh once", at("moving", "leases"), ["A refresh", "B refresh"]],
  ["two programs refresh once", at("files", "leases"), ["A refresh", "B refresh"]],
  ["three programs refresh once", at("files", "leases", "legacy"), ["C open", "settle", "A refresh", "B refresh", "C refresh"]],
  ["no call waits forever for a database", at("localStorage", "leases"), ["database stuck", "A refresh"]],
  ["no sign-out waits for ever for a database", at("custom", "leases"), ["database stuck", "A sign out"]],
  ["no page waits for ever for a database to open", at("indexedDB", "leases"), ["database stuck", "B open"]],
  ["no call waits forever for a lock", at("localStorage", "locks"), ["lock kept", "A refresh"]],
  [
    "tabs with a session that was replaced do not confirm it to each other",
    at("localStorage", "leases"),
    ["respond 429", "A sign in bob", "B refresh", "respond 500", "C sign in bob", "C sign out", "run 0 0 0 0"],
  ],
  ["a page with two sessions that were replaced does not restore one", at("localStorage", "leases", "legacy"), ["clock +1 h", "A token", "A sign in alice", "A sign in alice", "A sign out"]],
  [
    "tabs do not confirm a session to each other that is signed out",
    at("indexedDB", "leases"),
    ["A sign in alice", "run 0 0 0", "B open", "B open", "A sign out", "run 0 0", "run 0 0 0", "run 0 4 4 0"],
  ],
  [
    "a lease is as long as it says, although the computer slept while its store opened",
    at("localStorage", "leases"),
    ["B refresh", "clock +1 h", "run 0 0 0 0 0 0", "A refresh", "run 0 3 2 2", "B freeze", "run 0 0 0 0 0 0", "run 0 0 0 0", "run 0 0 0"],
  ],
  [
    "a computer that slept does not end the wait for a lock, for which the store would be emptied",
    at("custom", "locks"),
    ["A refresh", "run 0 0 0 0 0 0 0 0 0", "run 0 0", "run 0 0 0 0 0", "sleep 5 min", "run 3 0"],
  ],
  ["a closed tab's lease does not cost another tab its session", at("custom", "leases"), ["A open", "C sign in alice", "B refresh", "run 1 0", "A open", "run 0 0 0 0 0 0 3 0 2 3", "C close"]],
  [
    "a frozen tab that keeps the store's lock does not cost another tab its session",
    at("custom", "locks"),
    ["A refresh", "run 0 0 0", "run 0 0 0 0 0 0", "B sign in bob", "run 0 3 3 0 3 0 0 3", "B freeze", "run 0 0", "run 0 0 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "run 0 0 0 0 0 0 0", "B close"],
  ],
  ["two programs sign out a session whose tokens have expired", at("files", "leases", "legacy"), ["A sign out", "clock +1 h", "run 0 0", "B sign out", "run 0 0", "A close"]],
  [
    "a program that ends signs out a session while another one refreshes it",
    at("files", "leases", "legacy"),
    ["clock +1 h", "B refresh", "run 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", "A sign out", "A close", "run 1"],
  ],
  [
    "a tab whose storage the user has cleared keeps its tokens to itself",
    at("moving", "locks"),
    ["A refresh", "B refresh", "run 0", "run 0 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "run 0 0 0", "clear storage", "run 0 3 3 3 3 0"],
  ],
  ["a tab whose store can't be opened tells others that only it has the new tokens", used("indexedDB", "locks"), ["A store cut off"]],
  ["a tab whose store can't be opened uses the tokens of another tab", used("localStorage", "locks"), ["B store cut off"]],
  [
    "two programs whose clocks differ do not wait for each other forever",
    at("files", "leases"),
    ["C open", "settle", "A clock -1 h", "C refresh", "B refresh", "run 1 2 0 1 0 2 2 2 0 1 0 2 1 1 1 0 2", "A refresh", "run 2 2 0 1 1"],
  ],
  ["a tab whose store does not respond believes the sign-out of another tab", at("indexedDB", "leases"), ["A sign out", "database stuck"]],
  ["a lost connection to the database is opened again once", at("moving", "leases", "legacy"), ["B store read-only", "B sign out", "run 0 1 1", "run 4 0 0 0", "B store cut off"]],
  [
    "a tab with tokens that only pages have had does not keep a session that was replaced meanwhile",
    at("moving", "locks", "legacy"),
    ["A refresh", "run 0", "run 0 0 0 0", "run 0 0 0 0 0 0 0 0", "A store read-only", "run 0 0 0 0", "B refresh", "C sign in alice"],
  ],
  ["a sign-in that could not be stored keeps its new tokens next to another session in the store", used("localStorage", "locks"), ["B store cut off", "B sign in bob", "B store works", "B refresh"]],
  [
    "a session that the store has lost keeps its new tokens next to a sign-in that has just been stored",
    used("custom", "locks"),
    ["A refresh", "A store read-only", "run 0 0", "run 0 0 0 0 0 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "A store works", "C sign in alice"],
  ],
  [
    "a tab that could not read its store follows its session to IndexedDB",
    used("moving", "leases"),
    ["A store cut off", "A refresh", "run 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "A store read-only", "B refresh"],
  ],
  [
    "a sign-in revokes the session that it has replaced, although its user signs out at once",
    at("moving", "leases"),
    ["B refresh", "run 0 0 0 0 0", "B sign in bob", "run 0 3 0 0 0 3", "B sign out", "B store cut off", "run 0", "run 2", "run 2", "run 2 0 2 5 1", "run 1 3", "sleep 1 s"],
  ],
  [
    "a sign-out by a tab with the earlier store ends a session whose tokens came from IndexedDB",
    at("moving", "locks"),
    ["B refresh", "B store read-only", "run 0 0", "run 0 0 0 0", "run 0 0 0 0 0", "run 0 0 0 0 0 0 0 0", "run 0 0 0 0 0 0", "A sign out", "B open"],
  ],
  [
    "a tab takes tokens that only pages have, next to another session in the store",
    at("indexedDB", "locks"),
    ["storage full", "respond 429", "A refresh", "run 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "run 0 0 0 0 0", "B refresh", "run 0 0 0 0 0", "A sign in alice"],
  ],
  [
    "a session that was replaced is not stored again after its successor's sign-out, although another tab can't reach its store",
    at("indexedDB", "leases", "legacy"),
    ["B sign in bob", "respond HTML", "A refresh", "run 0", "run 0 0 0", "run 0 3", "B sign out", "A store cut off", "run 0 0", "run 0 4 0 1", "run 4", "run 4"],
  ],
  [
    "a tab that can't reach its store does not bring back a session that was replaced",
    at("indexedDB", "leases", "legacy"),
    ["clock +1 h", "B store cut off", "B refresh", "A sign in bob", "run 0 0 0 0", "run 3 3", "A sign out"],
  ],
  [
    "a tab that learns of new tokens after another user has signed in and out does not store them, but uses them",
    used("localStorage", "locks", "legacy"),
    ["B store read-only", "A freeze", "B refresh", "run 0 0 0 0 0 0", "run 0 0 0", "C sign in bob", "C sign out"],
  ],
  [
    "a tab that comes back from the page cache does not store a session that was replaced",
    at("localStorage", "leases", "legacy"),
    ["B store read-only", "B refresh", "A hide", "run 0", "run 0 0 0 0 0 0 0 0", "C sign in alice", "C sign out"],
  ],
  [
    "a sign-out ends a session that one tab leaves in localStorage while another tab still moves it to IndexedDB",
    at("moving", "leases"),
    ["A sign in alice", "B sign out", "B freeze", "C open", "run 0 0 0 0", "run 0 0", "run 0 0 0", "A sign out", "run 0 0 0 0 5"],
  ],
  [
    "a session that exists only in its page takes tokens from a tab with another store",
    used("moving", "leases"),
    ["B refresh", "storage full", "run 0 0 0 0", "run 0 0", "run 0 0 0 0 0 0 0", "run 0 0 0", "C sign in bob", "run 0", "run 3"],
  ],
  [
    "a tab that returns while another one signs out learns of the end, although the mark is removed before it gets what it reads",
    at("custom", "leases", "legacy"),
    ["A hide", "C open", "run 0 0 0 0", "C sign out", "run 0 0 0 0 0 0 0", "run 0 0", "run 0 0 0 0", "run 0 0 0 0 0 0 0 0 0", "run 0", "A show", "run 0 0 1 0 3", "run 3 3 3", "run 1 0"],
  ],
];
