// The chart of docs/benchmarks.md: what is downloaded, and what waits for what. Figures that are exact,
// so that a noisy machine changes nothing in it.
import { titleOf } from "../peers.mjs";
import { isOurs, kb } from "./format.mjs";

/** @typedef {import("./tables.mjs").Results} Results */
/** @typedef {{ label: string, value: number, text: string, ours: boolean }} Bar */

const WIDTH = 720;
const LABELS = 190;
const LINE = 24;
const BAR = 15;
/** Room for what stands behind the longest bar. */
const BEHIND = 80;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1c2230 }
  .group { font-weight: 600 }
  .value { font-variant-numeric: tabular-nums }
  .ours { fill: #1d4fb8 }
  .peer { fill: #9aa3b5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6e9f0 }
    .ours { fill: #9dbdff }
    .peer { fill: #67718a }
  }`;

/** @param {string} text */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * @param {Results} results
 * @returns {{ title: string, bars: Bar[] }[]}
 */
function groupsOf({ bytes, roundTrips = [] }) {
  const sizes = (bytes?.jobs ?? [])
    .filter(({ job }) => job !== "elements, bundled")
    .map(({ job, rows }) => ({
      title: `KB (gzip): ${job}`,
      bars: rows
        .filter(({ subject }) => !subject.endsWith("-client"))
        .map(({ subject, first }) => ({
          label: titleOf(subject),
          value: first.gzip,
          text: kb(first.gzip),
          ours: isOurs(subject),
        })),
    }));
  const steps = [...new Set(roundTrips.map(({ step }) => step))]
    .map((step) => ({ step, entries: roundTrips.filter((entry) => entry.step === step) }))
    .filter(({ entries }) => entries.length > 1)
    .map(({ step, entries }) => ({
      title: `Requests in a row: ${step}`,
      bars: entries.map(({ subject, inARow }) => ({
        label: titleOf(subject),
        value: inARow,
        text: String(inARow),
        ours: isOurs(subject),
      })),
    }));
  return [...sizes, ...steps];
}

/**
 * @param {Results} results
 * @returns {string} An SVG image, with its content in words for those who do not see it.
 */
export function chart(results) {
  const groups = groupsOf(results);
  let y = 8;
  const drawn = groups.map(({ title, bars }) => {
    const longest = Math.max(...bars.map(({ value }) => value));
    const heading = `<text class="group" x="0" y="${(y += LINE) - 8}">${escaped(title)}</text>`;
    const lines = bars.map(({ label, value, text, ours }) => {
      const top = y;
      y += LINE;
      const width = Math.max(1, ((WIDTH - LABELS - BEHIND) * value) / longest);
      const middle = top + BAR - 3;
      return `<text x="${LABELS - 8}" y="${middle}" text-anchor="end">${escaped(label)}</text>
<rect class="${ours ? "ours" : "peer"}" x="${LABELS}" y="${top}" width="${width.toFixed(1)}" height="${BAR}" rx="3"/>
<text class="value" x="${(LABELS + width + 8).toFixed(1)}" y="${middle}">${escaped(text)}</text>`;
    });
    y += 12;
    return [heading, ...lines].join("\n");
  });
  const words = groups.map(
    ({ title, bars }) =>
      `${title}: ${bars.map(({ label, text }) => `${label} ${text}`).join(", ")}.`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-labelledby="title desc">
<title id="title">matrix-auth-elements beside its peers: less is better</title>
<desc id="desc">${escaped(words.join(" "))}</desc>
<style>${STYLE}
</style>
${drawn.join("\n")}
</svg>
`;
}
