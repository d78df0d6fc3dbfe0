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
        "What an application imports for the same job, bundled and minified in the same way by esbuild. " +
        "At once: what is loaded with the page. All: also whatever can be loaded later, except other languages. " +
        "The ratio compares the gzip size (level 9) of what is loaded at once.",
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
      title: "What pages load with a script tag",
      text: "As observed in a page: which files of `dist/cdn/` it requested.",
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
      "Requests that wait for one another, counted at the bench's own homeserver and provider, each on a " +
      "host of its own; in parentheses including the browsers' preflights. Then the time that passes in the page if each response is delayed by that many " +
      "milliseconds, as a ratio to ours in the same turn: median (smallest – largest).",
    head: ["Step", "By", "In a row", "Requests", ...delays.map((ms) => `at ${ms} ms`), "Note"],
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
      "A person signs in at a homeserver, comes back from the provider, and confirms a request: what is downloaded of scripts (gzip, level 9), and how long it takes, " +
      "with an empty cache and once more with a full one, if each response is delayed by that many milliseconds: " +
      "as a ratio to ours in the same turn, median (smallest – largest).",
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
