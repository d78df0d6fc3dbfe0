// Describes an event without the data that only its listeners should read.

const SECRET = /token|secret|password|verifier|nonce|claims|credential|^(response|auth|inputs)$/i;
const SECRET_PARAMETER =
  /^(code|state|nonce|code_challenge|loginToken|token|client_secret|session)$/;
const HIDDEN = "…";

/** The detail as JSON, on one line. */
export const describe = (detail: unknown): string => JSON.stringify(detail, shown) ?? "";

function shown(name: string, value: unknown): unknown {
  if (SECRET.test(name) && typeof value !== "boolean" && !name.endsWith("_endpoint")) return HIDDEN;
  if (typeof value === "string") return withoutSecrets(value);
  if (typeof value === "function") return "ƒ";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  // Sessions and clients are hidden: they are objects with methods, not plain data.
  return [Object.prototype, null].includes(Object.getPrototypeOf(value)) ? value : HIDDEN;
}

function withoutSecrets(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  for (const name of url.searchParams.keys()) {
    if (SECRET_PARAMETER.test(name)) url.searchParams.set(name, HIDDEN);
  }
  return decodeURI(url.href);
}
