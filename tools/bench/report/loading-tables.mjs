// What is downloaded, what waits for what, and how long a whole visit takes.
import { titleOf } from "../peers.mjs";
import { ratios } from "../samples.mjs";
import { compared, isOurs, kb, noteOn, times } from "./format.mjs";

/** @typedef {import("./index.mjs").Table} Table */
/** @typedef {import("./index.mjs").Results} Results */

/**
 * @param {NonNullable<Results["bytes"]>} bytes
 * @returns {Table[]}
 */
export function bytesTables({ jobs, scriptTag }) {
  return [
    {
      title: "Bytes",
      text:
        "The imports of an app for the same job, bundled and minified in the same way with esbuild. " +
        "Immediately: the files loaded with the page. All: also the files loaded later, except other languages. " +
        "The ratio compares the gzip size (level 9) of the files loaded immediately.",
      head: ["Job", "By", "Minified", "gzip", "brotli", "All, gzip", "Ratio", "Note"],
      rows: jobs.flatMap(({ job, rows }) =>
        rows.map(({ subject, note, first, all, without }, nth) => {
          const ratio = first.gzip / (rows[0]?.first.gzip ?? NaN);
          return [
            nth === 0 ? job : "",
            titleOf(subject),
            kb(first.minified),
            kb(first.gzip),
            kb(first.brotli),
            kb(all.gzip),
            nth === 0 ? "1" : times(ratio),
            [
              noteOn(note, ratio),
              without ? `without ${without.what}: ${kb(without.first.gzip)}` : "",
            ]
              .filter(Boolean)
              .join("; "),
          ];
        }),
      ),
    },
    {
      title: "Files loaded by pages with a script tag",
      text: "The files of `dist/cdn/` that a page requested.",
      head: ["Loaded", "Minified", "gzip", "brotli", "Files"],
      rows: Object.entries(scriptTag).map(([title, { minified, gzip, brotli, files }]) => [
        title,
        kb(minified),
        kb(gzip),
        kb(brotli),
        files.join(", "),
      ]),
    },
  ];
}

/**
 * @param {NonNullable<Results["roundTrips"]>} roundTrips
 * @returns {Table}
 */
export function roundTripTable(roundTrips) {
  const delays = Object.keys(roundTrips[0]?.ms ?? {});
  return {
    title: "Round trips",
    text:
      "The number of sequential requests, counted by the bench's homeserver and provider, each on a " +
      "separate host; in parentheses including the browsers' preflights. Then the time in the page with that delay " +
      "for each response, as a ratio to ours in the same turn: median (smallest – largest).",
    head: ["Step", "By", "Sequential", "Requests", ...delays.map((ms) => `at ${ms} ms`), "Note"],
    rows: roundTrips.map(({ step, subject, note, inARow, withPreflights, requests, ms }) => {
      const ours = roundTrips.find((entry) => entry.step === step && isOurs(entry.subject));
      // The longest delay: with shorter ones a machine's own time is most of it.
      const last = delays.at(-1) ?? "";
      const { median } = ratios(ms[last] ?? [], ours?.ms[last] ?? []);
      return [
        isOurs(subject) ? step : "",
        titleOf(subject),
        `${inARow} (${withPreflights})`,
        String(requests),
        ...delays.map((delay) => compared(ms[delay], ours?.ms[delay])),
        noteOn(note, median),
      ];
    }),
  };
}

/**
 * @param {NonNullable<Results["visits"]>} visits
 * @returns {Table}
 */
export function visitTable(visits) {
  const [ours] = visits;
  const delays = Object.keys(ours?.by.cold.ms ?? {});
  return {
    title: "A whole visit",
    text:
      "A user signs in to a homeserver, returns from the provider, and confirms a request. The table has the scripts' download size (gzip, level 9) and the time, " +
      "first with an empty cache and then with a full one. The delay is that of each response. Times are " +
      "a ratio to ours in the same turn, median (smallest – largest).",
    head: ["By", "Cache", "gzip", "Files", ...delays.map((ms) => `at ${ms} ms`), "Note"],
    rows: visits.flatMap(({ subject, note, by }) =>
      /** @type {const} */ (["cold", "warm"]).map((cache) => [
        cache === "cold" ? titleOf(subject) : "",
        cache === "cold" ? "empty" : "full",
        kb(by[cache].gzip),
        String(by[cache].files),
        ...delays.map((delay) => compared(by[cache].ms[delay], ours?.by[cache].ms[delay])),
        cache === "cold" ? note : "",
      ]),
    ),
  };
}
