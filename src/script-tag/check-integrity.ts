// Warns if the page has the hashes of a bundle's files, but the browser does not check them.

/** Each name in the import map of dist/cdn/integrity.html consists of this prefix and a file name. */
const PREFIX = "matrix-auth-elements/integrity/";

/** The URL of this module's file. */
const [file = ""] = import.meta.url.split(/[?#]/);

/** Whether the page has the hash of this file, or an import map with the hashes. */
const hasHashes = (): boolean =>
  [...document.querySelectorAll("script")].some(({ integrity, src, text, type }) =>
    type === "importmap" ? text.includes(PREFIX) : integrity !== "" && src === import.meta.url,
  );

/**
 * Whether the import map is in effect and lists this file. The map's hashes can't be read. But a
 * name from the map resolves only if no content security policy has blocked the map, and resolves
 * to this file only if the map's paths are correct.
 */
function isMapped(): boolean {
  try {
    return import.meta.resolve(PREFIX + file.slice(file.lastIndexOf("/") + 1)) === file;
  } catch {
    // The page has no such map, or the map was blocked.
    return false;
  }
}

if (hasHashes() && !isMapped()) {
  console.warn(
    `matrix-auth-elements: the files that ${file} loads are not checked. See matrix-auth-elements/docs/reference/entry-points.md#integrity`,
  );
}
