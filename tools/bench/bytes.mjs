// The download of an app's visitors: every subject bundled in the same way, or its file for script tags.
import { readFile, readdir } from "node:fs/promises";
import { bundle, weigh } from "./bundle.mjs";
import { isOurs, kb, noteOn, ourRow, times, titleOf } from "./figures.mjs";
import { JOBS } from "./peers.mjs";

/**
 * The files that are loaded immediately.
 *
 * @typedef {import("./bundle.mjs").Bytes & Extra} Weight
 * @typedef {object} Extra
 * @property {string} task
 * @property {string} subject
 * @property {string} [note] The difference.
 * @property {number} allGzip Everything that can ever be loaded, but other languages.
 * @property {{ what: string, gzip: number }} [without] The size without one part.
 */

/** Libraries that publish a file for script tags, ours first. */
const PUBLISHED = [
  {
    subject: "ours",
    note: "all: standalone parts, of which a page loads few; without libphonenumber-js, for phone stages",
    file: "dist/cdn/matrix-auth-elements.js",
  },
  {
    subject: "hanko-elements",
    file: "tools/bench/node_modules/@teamhanko/hanko-elements/dist/elements.js",
  },
  {
    subject: "descope",
    file: "tools/bench/node_modules/@descope/web-component/dist/index.js",
  },
];

/** The files of dist/cdn, except other languages, third-party extras, and core.js, for pages without the elements. */
async function weighEveryFile() {
  const names = (await readdir("dist/cdn")).filter((file) => /^(?!core\.)[\w-]+\.js$/.test(file));
  return weigh(await Promise.all(names.map((file) => readFile(`dist/cdn/${file}`))));
}

/**
 * @param {string} task
 * @param {import("./peers.mjs").Subject} subject
 * @returns {Promise<Weight>}
 */
async function weighBundle(task, { subject, note, imports, without }) {
  const { first, files } = await bundle(imports);
  const rest = without && (await bundle(imports, without));
  return {
    ...{ task, subject, ...(note && { note }) },
    ...weigh(first),
    allGzip: weigh([...files.values()]).gzip,
    ...(rest && { without: { what: without.what, gzip: weigh(rest.first).gzip } }),
  };
}

/** @type {import("./report.mjs").Section<Weight>} */
export const bytes = {
  title: "Bytes",
  text:
    "The imports of an app for the same job, bundled and minified in the same way with esbuild. " +
    "Immediately: the files loaded with the page. All: also the files loaded later, except other languages. " +
    "The ratio compares the gzip size (level 9) of the files loaded immediately.",
  head: ["Job", "By", "Minified", "gzip", "brotli", "All, gzip", "Ratio", "Note"],

  async measure() {
    const bundled = Object.entries(JOBS).flatMap(([task, subjects]) =>
      subjects.map((subject) => weighBundle(task, subject)),
    );
    const all = await weighEveryFile();
    const published = PUBLISHED.map(async ({ subject, note, file }) => {
      const first = weigh([await readFile(file)]);
      const { gzip: allGzip } = isOurs(subject) ? all : first;
      return {
        ...{ task: "elements, script tag", subject, ...(note && { note }) },
        ...{ ...first, allGzip },
      };
    });
    return Promise.all([...bundled, ...published]);
  },

  cells({ task, subject, note, minified, gzip, brotli, allGzip, without }, rows) {
    const ratio = gzip / (ourRow(rows, task)?.gzip ?? NaN);
    const rest = without ? `without ${without.what}: ${kb(without.gzip)}` : "";
    return [
      isOurs(subject) ? task : "",
      titleOf(subject),
      ...[minified, gzip, brotli, allGzip].map(kb),
      isOurs(subject) ? "1" : times(ratio),
      [noteOn(note, ratio), rest].filter(Boolean).join("; "),
    ];
  },
};
