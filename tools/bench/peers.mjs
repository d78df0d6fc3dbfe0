// What is compared with what, and the names in the tables.
import { readFile } from "node:fs/promises";

/** The peers' packages, by the name under which they are installed here. */
const PACKAGES = [
  "matrix-js-sdk-41",
  "matrix-js-sdk-43",
  "oidc-client-ts",
  "@auth0/auth0-spa-js",
  "@teamhanko/hanko-elements",
  "@descope/web-component",
];

/** Names in the tables, by that of what is bundled: `peers/<name>.js`. @type {Record<string, string>} */
const TITLES = {
  "matrix-js-sdk-41": "matrix-js-sdk 41.9",
  "matrix-js-sdk-43": "matrix-js-sdk 43",
  "matrix-js-sdk-41-client": "matrix-js-sdk 41.9, by createClient",
  "matrix-js-sdk-43-client": "matrix-js-sdk 43, by createClient",
  "matrix-js-sdk-41-uia": "matrix-js-sdk 41.9",
  "matrix-js-sdk-43-uia": "matrix-js-sdk 43",
  descope: "Descope web-component",
};

/** @param {string} subject @returns {string} */
export const titleOf = (subject) =>
  subject.startsWith("ours") ? "matrix-auth-elements" : (TITLES[subject] ?? subject);

/**
 * The peers' versions, as they are installed.
 *
 * @returns {Promise<Record<string, string>>} By the package's own name.
 */
export async function peerVersions() {
  const entries = await Promise.all(
    PACKAGES.map(async (name) => {
      const text = await readFile(`tools/bench/node_modules/${name}/package.json`, "utf8");
      /** @type {{ name: string, version: string }} */
      const read = JSON.parse(text);
      return /** @type {const} */ ([`${read.name} ${read.version.split(".")[0]}`, read.version]);
    }),
  );
  return Object.fromEntries(entries);
}
