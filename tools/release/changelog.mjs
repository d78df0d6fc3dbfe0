// Cuts CHANGELOG.md, which people write for people, into releases. Tools such as changesets and release-please make
// their notes of commits, or of a file for each change.

const UNRELEASED = "Unreleased";

/** A version's heading and its text. */
const SECTION = /^## (\S+)(?: - (\d{4}-\d\d-\d\d))?\n([^]*?)(?=^## |(?![^]))/gm;

/** @param {string} changelog */
const sectionsOf = (changelog) =>
  [...changelog.matchAll(SECTION)].map(([whole, version, date, text = ""]) => ({
    whole,
    version,
    date,
    text: text.trim(),
  }));

/**
 * @param {string} changelog
 * @param {string} version
 * @returns {string} The text of its section, without its heading.
 * @throws {Error} If it has no section, or one that is empty or without a date.
 */
export function notesOf(changelog, version) {
  const section = sectionsOf(changelog).find((each) => each.version === version);
  if (!section?.date) throw new Error(`CHANGELOG.md has no section "## ${version} - <date>".`);
  if (section.text === "") throw new Error(`CHANGELOG.md has an empty section for ${version}.`);
  return section.text;
}

/**
 * Makes the unreleased section a version's section.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date `2026-11-23`
 * @returns {string} The changelog, with an empty section for the next version.
 * @throws {Error} If nothing is unreleased, or the version has a section already.
 */
export function cutRelease(changelog, version, date) {
  const sections = sectionsOf(changelog);
  if (sections.some((each) => each.version === version)) {
    throw new Error(`CHANGELOG.md has a section for ${version} already.`);
  }
  const unreleased = sections.find((each) => each.version === UNRELEASED);
  if (!unreleased?.text) throw new Error(`CHANGELOG.md has nothing below "## ${UNRELEASED}".`);
  const heading = `## ${UNRELEASED}\n`;
  const released = unreleased.whole.replace(heading, () => `${heading}\n## ${version} - ${date}\n`);
  return changelog.replace(unreleased.whole, () => released);
}

/**
 * Links for a page that is not in the repository.
 *
 * @param {string} markdown With links that are relative to the repository.
 * @param {string} base The URL of the repository's files: `https://git.example/project/blob/v1.0.0/`
 */
export const withAbsoluteLinks = (markdown, base) =>
  markdown.replace(/(\]\()(?![a-z][a-z\d+.-]*:|#)/gi, (link) => link + base);
