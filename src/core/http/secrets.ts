import { isJsonObject, type JsonObject, parseJson } from "./json.js";

/** Stands for a secret, or for a whole text that contains an encoded one. */
const MASK = "…";

type Sent = Pick<RequestInit, "headers" | "body">;

/** The members of requests that are secret, at any depth. `sid` and its secret prove an address. */
const SECRET_MEMBER =
  /^(?:(?:new_)?password|(?:\w+_)?token|(?:\w+_)?secret|(?:device_)?code|code_verifier|sid)$/;

/** The members of a UIA dictionary that are not: `session` must come back. All others are secret. */
const PUBLIC_AUTH_MEMBER =
  /^(?:type|session|user|identifier|medium|address|country|phone|number|id_server)$/;

/**
 * What code compares, not what a user reads: it stays even if a password is such a word. Otherwise
 * the password "password" would turn the stage `m.login.password` into an unknown one. Only known
 * codes: a server could write a password as another one.
 */
const PROTOCOL_TEXT =
  /^(?:M_(?:FORBIDDEN|UNKNOWN(?:_TOKEN)?|UNRECOGNIZED|UNAUTHORIZED|NOT_FOUND|NOT_JSON|TOO_LARGE|BAD_JSON|LIMIT_EXCEEDED|WEAK_PASSWORD|SESSION_EXPIRED|(?:INVALID|MISSING)_PARAM|(?:INVALID|MISSING)_TOKEN|TOKEN_INCORRECT|INVALID_(?:USERNAME|SIGNATURE)|CAPTCHA_(?:NEEDED|INVALID)|EXCLUSIVE|USER_(?:IN_USE|DEACTIVATED|LOCKED|SUSPENDED|AWAITING_APPROVAL)|THREEPID_(?:IN_USE|DENIED|NOT_FOUND|AUTH_FAILED|MEDIUM_NOT_SUPPORTED)|PASSWORD_(?:TOO_SHORT|NO_(?:DIGIT|UPPERCASE|LOWERCASE|SYMBOL)|IN_DICTIONARY))|(?:invalid|unsupported)_(?:client(?:_metadata)?|grant(?:_type)?|redirect_uri|request|scope|token)|unauthorized_client|access_denied|authorization_pending|slow_down|expired_token|server_error|temporarily_unavailable|m\.oauth|(?:m|org\.matrix)\.(?:login\.)?(?:password|recaptcha|terms|email\.identity|msisdn|sso|dummy|(?:msc3231\.login\.)?registration_token|cross_signing_reset))$/;

/** Their values are not prose either: a secret of a few letters may occur in them by chance. */
const CODE_MEMBER = /^(?:errcode|flows|stages|completed|params|session)$/;

const PROTOCOL_MEMBER =
  /^(?:errcode|error(?:_description|_uri)?|flows|stages|completed|params|session|soft_logout|retry_after_ms|policies|version|name|url|public_key)$/;

/** With a shorter secret in its place, a text would say where the secret occurs, but nothing else. */
const MIN_LENGTH = 4;

/** A shorter one might occur in other words once spaces and punctuation are removed. */
const MIN_BARE_LENGTH = 8;

/** No response that this library reads is nested deeper. */
const MAX_DEPTH = 64;

/**
 * The characters of a response that are searched; what follows is masked. No error that a user reads
 * is longer, and each text takes some time, so a short one counts as this many at least.
 */
const MAX_SEARCHED = 1 << 16;
const MIN_SEARCHED = 1 << 5;

/** Of one text, so that a long one leaves some for the others. */
const MAX_TEXT = 1 << 13;

/** Encodings of encodings, such as percent signs that are percent-encoded again. */
const MAX_ROUNDS = 3;

/** The secrets in a request: its tokens, and the secret members of its body. */
export function secretsIn({ headers, body }: Sent): string[] {
  const [, credentials = ""] = new Headers(headers).get("Authorization")?.split(/ (.*)/s) ?? [];
  const members =
    body instanceof URLSearchParams
      ? Object.fromEntries(body)
      : typeof body === "string"
        ? parseJson(body)
        : undefined;
  return [credentials, ...secretMembers(members)].filter(Boolean);
}

/** The secrets in a UIA dictionary. */
export const secretsInAuth = (auth: JsonObject): string[] => secretMembers({ auth });

function secretMembers(
  value: unknown,
  isSecret = (name: string): boolean => SECRET_MEMBER.test(name),
  name = "",
): string[] {
  if (typeof value === "string" || typeof value === "number") {
    return isSecret(name) ? [String(value)] : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => secretMembers(each, isSecret, name));
  if (!isJsonObject(value) || name === "identifier") return [];
  const isSecretInside =
    name === "auth" ? (each: string): boolean => !PUBLIC_AUTH_MEMBER.test(each) : isSecret;
  return Object.entries(value).flatMap(([each, member]) =>
    secretMembers(member, isSecretInside, each),
  );
}

/** Replaces the secrets in a text, or in all texts and names of a value from JSON. */
export type Mask = <T>(value: T) => T;

/**
 * Makes a function that removes secrets from a server's error, because some servers repeat what
 * they were sent.
 *
 * A secret is replaced where it occurs, in any case. If it is shorter than four characters, or
 * encoded (percent, form, base64, hexadecimal, escapes of JSON, CSS, and HTML, also twice, reversed,
 * or with characters between its letters), the whole text is replaced. A server that encodes it in
 * another way, or repeats only a part of it, cannot be prevented from doing so.
 */
export function maskOf(secrets: readonly string[]): Mask {
  const all = [...new Set(secrets.flatMap((each) => [each, each.trim()]))].filter(Boolean);
  const searches = all.map(searchFor);
  // The longest first: one may contain another.
  const long = all.filter(({ length }) => length >= MIN_LENGTH).sort(byLength);
  const searchesInCode = long.map(searchFor);
  const patterns = long.map(
    (each) => new RegExp(each.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "gi"),
  );

  let left = MAX_SEARCHED;
  const maskText = (text: string, isCode = false): string => {
    if (PROTOCOL_TEXT.test(text)) return text;
    if (left <= 0) return MASK;
    const start = text.slice(0, Math.min(left, MAX_TEXT));
    const masked = patterns.reduce((rest, pattern) => rest.replace(pattern, MASK), start);
    left -= Math.max(start.length, MIN_SEARCHED);
    const views = viewsOf(masked);
    const wanted = isCode ? searchesInCode : searches;
    if (wanted.some((finds) => views.some(finds))) return MASK;
    // The end of a text that is cut off may be the start of a secret.
    return start === text ? masked : masked.slice(0, masked.length / 2) + MASK;
  };
  const mask = (value: unknown, depth = 0, isCode = false): unknown => {
    if (typeof value === "string") return maskText(value, isCode);
    if (typeof value === "number") return long.includes(String(value)) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return MASK;
    if (Array.isArray(value)) return value.map((each) => mask(each, depth + 1, isCode));
    const members = Object.entries(value).map(([name, member]) => [
      PROTOCOL_MEMBER.test(name) || name.length < MIN_LENGTH ? name : maskText(name, isCode),
      mask(member, depth + 1, isCode || CODE_MEMBER.test(name)),
    ]);
    return Object.fromEntries(members) as unknown;
  };
  if (searches.length === 0) return (value) => value;
  return <T>(value: T) => {
    left = MAX_SEARCHED;
    return mask(value) as T;
  };
}

/**
 * The cause of a request without a response. An app's own `fetch` might keep the request in its error: then
 * only the error's name is left.
 */
export function causeWithout({ headers, body }: Sent, error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  const isText = typeof body === "string" || body instanceof URLSearchParams;
  const authorization = new Headers(headers).get("Authorization") ?? "";
  const sent = `${authorization} ${isText ? body.toString() : ""}`;
  const words = sent.match(/[^\s"',:{}[\]&=\\]{4,}/g) ?? [];
  try {
    const kept = keptIn(error, new Set()).join("\n");
    if (!words.some((word) => kept.includes(word))) return error;
  } catch {
    // It keeps something whose content is hidden, such as its request.
  }
  return new Error("The app's fetch failed");
}

/**
 * All texts and numbers that are reachable from an error, also those that are not enumerable, such
 * as its causes.
 *
 * @throws {TypeError} Something has a content that its members don't show.
 */
function keptIn(value: unknown, seen: Set<unknown>): unknown[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  if (seen.has(value)) return [];
  seen.add(value);
  const isError = value instanceof Error;
  const isPlain = [Object.prototype, Array.prototype, null].includes(
    Object.getPrototypeOf(value) as object | null,
  );
  if (!isError && !isPlain) throw new TypeError("Its content is hidden");
  const texts = isError ? [value.name, value.message] : [];
  // The stack repeats the message, and has names of functions, which are no secrets.
  const names = Reflect.ownKeys(value).filter((name) => !isError || name !== "stack");
  const members = names.flatMap((name) => [
    String(name),
    ...keptIn(Reflect.get(value, name), seen),
  ]);
  return [...texts, ...members];
}

const byLength = (a: string, b: string): number => b.length - a.length;

/** A text in the forms in which a secret, or its encodings, are looked for. */
interface View {
  readonly text: string;
  /** As base64, without line breaks, and in one of its two alphabets. */
  readonly base64: string;
  readonly reversed: string;
  /** Only letters and digits. */
  readonly bare: string;
}

/**
 * Upper case comes first, because it has two letters for some. Of many marks on one letter, some are
 * enough: engines take quadratic time to sort them.
 */
const fold = (text: string): string =>
  text
    .replace(/(\p{M}{16})\p{M}+/gu, "$1")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase();
const bare = (folded: string): string => folded.replace(/[^\p{L}\p{N}]/gu, "");

function viewOf(text: string): View {
  const folded = fold(text);
  return {
    text: folded,
    base64: text.replace(/\s/g, "").replace(/-/g, "+").replace(/_/g, "/"),
    reversed: Array.from(folded).reverse().join(""),
    bare: bare(folded),
  };
}

/** The text, and what it is once its escapes are resolved. */
function viewsOf(text: string): readonly View[] {
  const texts = new Set([text]);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const each of [...texts]) {
      const spaced = each.replaceAll("+", " ");
      texts.add(unescaped(each)).add(spaced).add(unescaped(spaced));
    }
  }
  return [...texts].map(viewOf);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
};

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "");

/** Resolves the escapes of URLs, JavaScript, CSS, HTML, and quoted-printable text. */
const unescaped = (text: string): string =>
  text
    .replace(/(?:(?:%|\\x|=)[\da-f]{2})+/gi, (run) => {
      const pairs = run.replace(/%|\\x|=/gi, "").match(/../g) ?? [];
      const bytes = Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
      const decoded = new TextDecoder().decode(bytes);
      return decoded.includes("\uFFFD") ? new TextDecoder("latin1").decode(bytes) : decoded;
    })
    .replace(
      /[\\%]u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|&#x([\da-f]{1,6});?|\\([\da-f]{2,6}) ?/gi,
      (_, ...digits: (string | undefined)[]) =>
        characterOf(parseInt(digits.slice(0, 4).find(Boolean) ?? "", 16)),
    )
    .replace(/&#(\d{1,7});?/g, (_, code: string) => characterOf(Number(code)))
    .replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => NAMED[name] ?? "")
    .replace(/\\(.)/g, "$1");

/** A function that finds a secret, and its encodings, in a view of a text. */
function searchFor(secret: string): (view: View) => boolean {
  const text = fold(secret);
  if (secret.length < MIN_LENGTH) return (view) => view.text.includes(text);
  const letters = bare(text);
  const plain = new Set([secret, encodeURIComponent(secret.replace(/\p{Cs}/gu, "\uFFFD"))]);
  const once = [...plain].flatMap((each) => [...base64Of(each), hexOf(each)]);
  const twice = once.flatMap((each) => [...base64Of(each), hexOf(each)]);
  const encoded = [...once, ...twice];
  const digits = encoded.filter((each) => /^[\da-f]+$/.test(each));
  return (view) =>
    view.text.includes(text) ||
    view.reversed.includes(text) ||
    (letters.length >= MIN_BARE_LENGTH && view.bare.includes(letters)) ||
    digits.some((each) => view.bare.includes(each)) ||
    encoded.some((each) => view.base64.includes(each));
}

const bytesOf = (text: string): readonly number[] => [...new TextEncoder().encode(text)];

const hexOf = (text: string): string =>
  bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/**
 * The base64 of a text that may be a part of a longer one: its first bit is at one of three places
 * in a character, and the characters at both ends depend on what surrounds the text.
 */
function base64Of(text: string): readonly string[] {
  const bytes = bytesOf(text)
    .map((byte) => String.fromCharCode(byte))
    .join("");
  return [0, 1, 2].map((before) => {
    const start = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    return btoa("\0".repeat(before) + bytes).slice(start, end);
  });
}
