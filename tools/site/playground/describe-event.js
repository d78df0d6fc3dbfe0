// What an event says, without what only its listeners should read.

const SECRET = /token|secret|password|verifier|nonce|claims|credential|^(response|auth|inputs)$/i;
const SECRET_PARAMETER =
  /^(code|state|nonce|code_challenge|loginToken|token|client_secret|session)$/;
const HIDDEN = "…";
/** Of what an event has within. */
const DEPTH = 3;

/**
 * @param {unknown} detail
 * @returns {string} JSON, on one line
 */
export const describe = (detail) => JSON.stringify(plain(detail, DEPTH)) ?? "";

/**
 * @param {unknown} value
 * @param {number} depth
 * @returns {unknown}
 */
function plain(value, depth) {
  if (typeof value === "string") return withoutSecrets(value);
  if (typeof value === "function") return "ƒ";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value))
    return depth > 0 ? value.map((each) => plain(each, depth - 1)) : [HIDDEN];
  const type = Object.getPrototypeOf(value)?.constructor;
  // A session, a client: an object with methods is not what it has in its fields.
  if (type !== Object && type !== undefined) return HIDDEN;
  if (depth === 0) return HIDDEN;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, isSecret(name, each) ? HIDDEN : plain(each, depth - 1)]),
  );
}

/** @param {string} name @param {unknown} value */
const isSecret = (name, value) =>
  SECRET.test(name) && typeof value !== "boolean" && !name.endsWith("_endpoint");

/** @param {string} text */
function withoutSecrets(text) {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const name of url.searchParams.keys()) {
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, HIDDEN);
  }
  return decodeURI(url.href);
}
