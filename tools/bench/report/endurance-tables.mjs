// What is left after many times: in memory, and of sessions at failing servers.
import { titleOf } from "../peers.mjs";
import { leftOver } from "../soak.mjs";
import { number } from "./format.mjs";

/** @typedef {import("./index.mjs").Table} Table */
/** @typedef {import("../heap.mjs").Left} Left */
/** @typedef {import("../soak.mjs").Soak & { date: string }} Soak */

/**
 * @param {readonly Left[]} heap
 * @returns {Table}
 */
export function heapTable(heap) {
  return {
    title: "Memory",
    text:
      "The growth of the heap after a warm-up, from the first to the last forced garbage collection, " +
      "per repetition, and other remains.",
    head: [
      "Operation",
      "By",
      "Times",
      "Heap, each",
      "Nodes",
      "Listeners",
      "Timers",
      "Channels",
      "Locks",
    ],
    rows: heap.map((left) => [
      left.what.replace(/<[\w-]+>/, "`$&`"),
      titleOf(left.subject),
      number(left.count),
      `${number(growth(left))} bytes`,
      ...[left.nodes, left.listeners, left.timers, left.channels, left.locks].map(String),
    ]),
  };
}

/** @param {Left} left @returns Bytes for each time. */
const growth = ({ heap, count }) => ((heap.at(-1) ?? NaN) - (heap[0] ?? NaN)) / count;

/**
 * @param {Soak} soak
 * @returns {Table}
 */
export function soakTable({ date, signIns, counts, begunAgain, lost, forgotten, grown }) {
  const { requests, refreshes, retries, reused } = counts;
  const failed = [counts.lost, counts.late, counts.limited + counts.unavailable].map(number);
  /** @param {(left: Soak["grown"][number]) => number} of */
  const inTabs = (of) => grown.map((left) => number(of(left))).join(", ");
  return {
    title: "Endurance",
    text:
      `Run on ${date} with \`npm run bench -- --soak\`. One user after the other signs in, sends requests from two ` +
      "tabs and a service worker at the same time, and signs out. Access tokens expire after at most 20 seconds. " +
      "All clocks run 100 times as fast. The provider rotates refresh tokens, and accepts the previous one only " +
      "until the new tokens are used.",
    head: ["Event", "Count"],
    rows: [
      ["sign-ins", number(signIns)],
      ["of these, restarted: the response with the tokens was lost", number(begunAgain)],
      ["requests", number(requests)],
      ["of these, without a response, late, or with HTTP 429 and 503", failed.join(", ")],
      ["refreshes", number(refreshes)],
      ["of these, repeated because the response was lost", number(retries)],
      ["sessions lost", number(lost.length)],
      ["refresh tokens used twice", number(reused)],
      ["devices that stayed signed in on the provider", number(forgotten)],
      [
        "growth of the heap for each sign-in, in bytes, in each tab",
        inTabs((left) => left.heap / signIns),
      ],
      ["listeners, timers, channels and locks left over, in each tab", inTabs(leftOver)],
    ],
  };
}
