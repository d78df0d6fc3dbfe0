// Checks the fields of package.json that a release requires. publint checks only the installed files.

/**
 * @typedef {object} PackageJson
 * @property {string} version
 * @property {string} [homepage]
 * @property {string | { url?: string }} [bugs]
 * @property {string | { type?: string, url?: string }} [repository]
 */

/** @param {string | { url?: string } | undefined} field */
const urlOf = (field) => (typeof field === "string" ? field : (field?.url ?? ""));

/**
 * @param {PackageJson} packageJson
 * @returns {string | undefined} The page of the project's repository; undefined if `repository` is empty.
 */
export function repositoryPage({ repository }) {
  const page = urlOf(repository)
    .replace(/^github:/, "https://github.com/")
    .replace(/^git\+/, "")
    .replace(/\.git$/, "");
  return page || undefined;
}

/**
 * @param {PackageJson} packageJson
 * @param {object} [run] The run of the release workflow.
 * @param {string} [run.tag] The tag that started it.
 * @param {string} [run.repository] The page of its repository.
 * @returns {string[]} The reasons against a release.
 */
export function releaseFaults(packageJson, { tag, repository } = {}) {
  const { version, homepage, bugs } = packageJson;
  const page = repositoryPage(packageJson);
  const faults = Object.entries({ homepage, "bugs.url": urlOf(bugs), "repository.url": page })
    .filter(([, url]) => !isHttps(url))
    .map(([field, url]) =>
      url ? `${field} is not an HTTPS URL: ${url}` : `${field} of package.json is empty.`,
    );
  if (tag !== undefined && tag !== `v${version}`) {
    faults.push(`The tag is ${tag}, the version of package.json ${version}.`);
  }
  // Otherwise npm rejects the provenance of another repository, but only after all other steps.
  if (repository !== undefined && page !== undefined && page !== repository) {
    faults.push(`repository.url of package.json is ${page}; this is ${repository}.`);
  }
  return faults;
}

/** @param {string | undefined} url */
const isHttps = (url = "") => URL.canParse(url) && new URL(url).protocol === "https:";
