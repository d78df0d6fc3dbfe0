// The required fields of package.json for a release: publint checks only the installed files.

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
 * @returns {string | undefined} The page of the project's repository; undefined while `repository` is empty.
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
 * @param {object} [run] Of the release workflow.
 * @param {string} [run.tag] That it was started by.
 * @param {string} [run.repository] The page of the repository that it runs in.
 * @returns {string[]} Why this cannot be released.
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
  // npm rejects a provenance that names another repository, after everything else is done.
  if (repository !== undefined && page !== undefined && page !== repository) {
    faults.push(`repository.url of package.json is ${page}; this is ${repository}.`);
  }
  return faults;
}

/** @param {string | undefined} url */
const isHttps = (url = "") => URL.canParse(url) && new URL(url).protocol === "https:";
