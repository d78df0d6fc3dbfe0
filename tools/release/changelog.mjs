// Splits the handwritten CHANGELOG.md into releases. Tools such as changesets and release-please generate
// notes from commits, or from a file for each change.

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
 * @returns {string} The section's text, without its heading.
 * @throws {Error} If the section is missing, empty, or without a date.
 */
export function notesOf(changelog, version) {
  const section = sectionsOf(changelog).find((each) => each.version === version);
  if (!section?.date) throw new Error(`CHANGELOG.md has no section "## ${version} - <date>".`);
  if (section.text === "") throw new Error(`CHANGELOG.md has an empty section for ${version}.`);
  return section.text;
}

/**
 * Turns the unreleased section into a version's section.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date `2026-11-23`
 * @returns {string} The changelog, with an empty section for the next version.
 * @throws {Error} If the unreleased section is empty, or the version already has a section.
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
 * Makes the links absolute, for a page outside the repository.
 *
 * @param {string} markdown A text with links that are relative to the repository.
 * @param {string} base The URL of the repository's files, such as `https://git.example/project/blob/v1.0.0/`.
 */
export const withAbsoluteLinks = (markdown, base) =>
  markdown.replace(/(\]\()(?![a-z][a-z\d+.-]*:|#)/gi, (link) => link + base);
