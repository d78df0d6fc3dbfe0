import { parseJson } from "./json.js";

/** The replacement for a secret, or for a whole text that contains an encoded secret. */
const MASK = "…";

type Sent = Pick<RequestInit, "headers" | "body">;

/**
 * The members of requests that are secret, at any depth. `sid` and its client secret prove the
 * ownership of an address.
 */
const SECRET_MEMBER =
  /^(?:(?:new_)?password|(?:\w+_)?token|(?:\w+_)?secret|(?:device_)?code|code_verifier|sid)$/;

/**
 * The members of a UIA dictionary that are not secret: responses must contain `session`. All other
 * members are secret.
 */
const PUBLIC_AUTH_MEMBER =
  /^(?:type|session|user|identifier|medium|address|country|phone|number|id_server)$/;

/**
 * Values that code compares, and that users don't read. They stay unchanged even if a password
 * equals one of them. Otherwise the password "password" would turn the stage `m.login.password`
 * into an unknown one. The list contains only known codes and names, because a server could use a
 * password as an unknown code.
 */
const PROTOCOL_TEXT =
  /^(?:M_(?:FORBIDDEN|UNKNOWN(?:_TOKEN)?|UNRECOGNIZED|UNAUTHORIZED|NOT_FOUND|NOT_JSON|TOO_LARGE|BAD_JSON|LIMIT_EXCEEDED|WEAK_PASSWORD|SESSION_EXPIRED|(?:INVALID|MISSING)_PARAM|(?:INVALID|MISSING)_TOKEN|TOKEN_INCORRECT|INVALID_(?:USERNAME|SIGNATURE)|CAPTCHA_(?:NEEDED|INVALID)|EXCLUSIVE|USER_(?:IN_USE|DEACTIVATED|LOCKED|SUSPENDED|AWAITING_APPROVAL)|THREEPID_(?:IN_USE|DENIED|NOT_FOUND|AUTH_FAILED|MEDIUM_NOT_SUPPORTED)|PASSWORD_(?:TOO_SHORT|NO_(?:DIGIT|UPPERCASE|LOWERCASE|SYMBOL)|IN_DICTIONARY))|(?:invalid|unsupported)_(?:client(?:_metadata)?|grant(?:_type)?|redirect_uri|request|scope|token)|unauthorized_client|access_denied|authorization_pending|slow_down|expired_token|server_error|temporarily_unavailable|m\.oauth|(?:m|org\.matrix)\.(?:login\.)?(?:password|recaptcha|terms|email\.identity|msisdn|sso|dummy|(?:msc3231\.login\.)?registration_token|cross_signing_reset)|errcode|error(?:_description|_uri)?|flows|stages|completed|params|session|soft_logout|retry_after_ms|policies|version|name|url|public_key)$/;

/** The members whose values are codes. A secret of a few letters may occur in them by chance. */
const CODE_MEMBER = /^(?:errcode|flows|stages|completed|params|session)$/;

/** The members whose values are sentences, which users and logs see. */
const WORDS_MEMBER = /^(?:error(?:_description)?|message)$/;

/**
 * Sentences contain no such sequence, but secrets in any other encoding do, for example in base32 or
 * compressed.
 */
const withoutSequences = (text: string): string =>
  text.replace(/[\w+=~-]{16,}/g, (sequence) => (/\d|[A-Z]{16}/.test(sequence) ? MASK : sequence));

/** If only a shorter secret were replaced, the text would reveal where it occurs. */
const MIN_LENGTH = 4;

/**
 * The number of characters that are searched in a response, and the number of characters that each
 * value counts at least.
 */
const MAX_SEARCHED = 1 << 16;
const MIN_SEARCHED = 1 << 5;

/** A longer secret, which a server might have chosen, is looked for by its start. */
const MAX_LENGTH = 1 << 11;

/** Encodings of encodings, such as percent signs that are percent-encoded again. */
const MAX_ROUNDS = 3;

/** The secrets in a request: its tokens, and the secret members of its body. */
export function secretsIn({ headers, body }: Sent): string[] {
  const credentials = new Headers(headers).get("Authorization")?.replace(/^\S+ /, "") ?? "";
  const members =
    body instanceof URLSearchParams
      ? Object.fromEntries(body)
      : parseJson(typeof body === "string" ? body : "");
  return [credentials, ...secretsOf(members)];
}

/** The secrets in a UIA dictionary. */
export const secretsInAuth = (auth: unknown): string[] => secretsOf({ auth });

function secretsOf(value: unknown, isSecret = false, isInAuth = false): string[] {
  if (typeof value === "object") {
    return Object.entries(value ?? {}).flatMap(([name, member]) => {
      if (!isInAuth) return secretsOf(member, SECRET_MEMBER.test(name), name === "auth");
      return PUBLIC_AUTH_MEMBER.test(name) ? [] : secretsOf(member, true, true);
    });
  }
  const isText = typeof value === "string" || typeof value === "number";
  return isSecret && isText ? [String(value)] : [];
}

/** Replaces the secrets in a string, or in all strings and names of a JSON value. */
export type Mask = <T>(value: T) => T;

/**
 * Makes a function that removes secrets from a server's error, because some servers repeat what
 * they were sent.
 *
 * A secret is replaced where it occurs, in any case. If it is shorter than four characters, or
 * encoded (percent, form, base64, numbers of its bytes, escapes of JSON, CSS, and HTML, also twice,
 * reversed, in another character set, or with characters between its letters), the whole text is
 * replaced. After the start of a very long one, so is the rest of the text. In sentences, so is each long sequence of letters and digits, because it might be encoded in
 * another way. A server that disguises it as words, or repeats only a part of it, cannot be prevented
 * from doing so. If a response is longer or deeper than any that a user reads, the rest is replaced.
 */
export function maskOf(secrets: readonly string[]): Mask {
  // The longest first: one may contain another.
  const all = [...new Set(secrets)].filter(Boolean).sort((a, b) => b.length - a.length);
  if (all.length === 0) return (value) => value;
  const inTexts = searchFor(all);
  const inCodes = searchFor(all.filter(isLong));
  let left = 0;
  const mask = (value: unknown, isCode = false): unknown => {
    left -= MIN_SEARCHED + (typeof value === "string" ? value.length : 0);
    if (left < 0) return MASK;
    if (typeof value === "string") {
      if (!isCode) return inTexts(value);
      return PROTOCOL_TEXT.test(value) ? value : inCodes(value);
    }
    if (typeof value === "number") return all.includes(String(value)) ? MASK : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => mask(each, isCode));
    const members = Object.entries(value).map(([name, member]) => {
      const shown = mask(name, true);
      const masked = mask(member, isCode || CODE_MEMBER.test(name));
      const isSentence = typeof masked === "string" && WORDS_MEMBER.test(name);
      return [shown, isSentence ? withoutSequences(masked) : masked];
    });
    return Object.fromEntries(members) as unknown;
  };
  return <T>(value: T) => {
    left = MAX_SEARCHED;
    return mask(value) as T;
  };
}

/** A function that masks secrets in a text. */
function searchFor(secrets: readonly string[]): (text: string) => string {
  const escaped = secrets.filter(isLong).map((secret) => {
    const start = startOf(secret);
    const literal = start.replace(/[^\p{L}\p{N}]/gu, "\\$&");
    return start === secret ? literal : `${literal}[^]*`;
  });
  const pattern = new RegExp(escaped.join("|") || "$^", "gi");
  const forms = secrets.map(startOf).flatMap(formsOf);
  return (text) => {
    const masked = text.replace(pattern, MASK);
    const searched = searchedIn(masked);
    return forms.some((form) => searched.includes(form)) ? MASK : masked;
  };
}

const isLong = ({ length }: string): boolean => length >= MIN_LENGTH;

/** Without half a character at its end, which has other encodings than the whole one. */
const startOf = (secret: string): string =>
  secret.length > MAX_LENGTH ? secret.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, "") : secret;

/**
 * The cause of a request without a response. It is left out if it contains the request, as an error
 * of an app's own `fetch` might.
 */
export function causeWithout(sent: Sent, error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  try {
    const kept = textsIn(error, new Set());
    const masked = maskOf(secretsIn(sent))(kept);
    if (masked.every((text, index) => text === kept[index])) return error;
  } catch {
    // It holds an object whose content is hidden, such as its request.
  }
  return new Error("The app's fetch failed");
}

/**
 * All strings that are reachable from an error, including non-enumerable ones, such as its causes.
 *
 * @throws {TypeError} A value has content that its members don't show.
 */
function textsIn(value: unknown, seen: Set<unknown>): string[] {
  if (typeof value !== "object" || value === null) return [String(value)];
  if (seen.has(value)) return [];
  seen.add(value);
  const isError = value instanceof Error;
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (!isError && ![Object.prototype, Array.prototype, null].includes(prototype as null)) {
    throw new TypeError("Its content is hidden");
  }
  // The stack repeats the message, and contains function names, which aren't secret.
  const names = Reflect.ownKeys(value).filter((name) => !isError || name !== "stack");
  return [
    ...(isError ? [value.name, value.message] : []),
    ...names.flatMap((name) => [String(name), ...textsIn(Reflect.get(value, name), seen)]),
  ];
}

/**
 * Converts to upper case first, because some letters become two. Limits the number of combining
 * marks on a letter, because engines take quadratic time to sort them.
 */
const fold = (text: string): string =>
  text
    .replace(/(\p{M}{16})\p{M}+/gu, "$1")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase();

/**
 * Keeps only letters and digits, without marks, so that the alphabet of base64 and line breaks make no
 * difference.
 */
const bare = (text: string): string =>
  fold(text)
    .normalize("NFKD")
    .replace(/[^\p{L}\p{N}]/gu, "");

/** The letters and digits that are the same in each character set, without entities and tags of HTML. */
const skeleton = (text: string): string =>
  text
    .replace(/<[^<>]*>|&[a-z\d]+;/gi, "")
    .replace(/[^a-z\d]/gi, "")
    .toLowerCase();

/** The text, before and after its escapes are resolved, unchanged, bare, and as a skeleton. */
function searchedIn(text: string): string {
  const views: string[] = [];
  // Octal numbers look like the hexadecimal ones of CSS.
  for (const start of new Set([text, withoutOctal(text)])) {
    for (let view = start, round = 0; round <= MAX_ROUNDS; view = unescaped(view), round += 1) {
      views.push(fold(view), bare(view), skeleton(view));
    }
  }
  return views.join("\n");
}

const withoutOctal = (text: string): string =>
  text.replace(/\\([0-3][0-7]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));

/** Resolves the escapes of URLs, JavaScript, CSS, HTML, and quoted-printable text. */
const unescaped = (text: string): string =>
  text
    .replace(/(?:(?:%|\\x|0x|=)[\da-f]{2})+/gi, (run) => {
      const pairs = run.replace(/%|\\x|0x|=/gi, "").match(/../g) ?? [];
      const bytes = Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
      const decoded = new TextDecoder().decode(bytes);
      return decoded.includes("\uFFFD") ? String.fromCharCode(...bytes) : decoded;
    })
    .replace(
      /(?:[\\%]u|U\+)([\da-f]{4})|(?:\\u\{0*|&#x0*|\\)([\da-f]{1,6})[ ;}]?|&#0*(\d{1,7});?/gi,
      (_, four: string | undefined, hex: string | undefined, decimal: string) => {
        const code = four || hex ? parseInt(four ?? hex ?? "", 16) : Number(decimal);
        return code <= 0x10ffff ? String.fromCodePoint(code) : "";
      },
    )
    .replace(/&(?:amp|lt|gt|quot|apos);/g, "&");

/** The forms that a secret can have in {@link searchedIn} a text, unchanged and encoded. */
function formsOf(secret: string): readonly string[] {
  if (!isLong(secret)) return [fold(secret)];
  const escaped = encodeURIComponent(secret.replace(/\p{Cs}/gu, "\uFFFD"));
  const once = [...bytesOf(secret), utf8(escaped)].flatMap(encodingsOf);
  const twice = once.map(utf8).flatMap(encodingsOf);
  const reversed = Array.from(secret).reverse().join("");
  const bareForms = [secret, reversed, ...once, ...twice].map(bare);
  return [fold(secret), ...[...new Set([...bareForms, skeleton(secret)])].filter(isLong)];
}

const utf8 = (text: string): readonly number[] => [...new TextEncoder().encode(text)];

/** The bytes in UTF-8, UTF-16, and Latin-1. */
function bytesOf(text: string): readonly (readonly number[])[] {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return [
    utf8(text),
    units.flatMap((unit) => [unit & 255, unit >> 8]),
    units.map((unit) => unit & 255),
  ];
}

/**
 * The decimal, hexadecimal, and base64 digits of bytes that may be part of a longer text. In base64,
 * the first bit is at one of three positions in a character, and the characters at both ends depend on
 * the surrounding text.
 */
function encodingsOf(bytes: readonly number[]): readonly string[] {
  const binary = bytes.map((byte) => String.fromCharCode(byte)).join("");
  const inBase64 = [0, 1, 2].map((before) =>
    btoa("\0".repeat(before) + binary).slice(
      Math.ceil((before * 4) / 3),
      Math.floor(((before + bytes.length) * 4) / 3),
    ),
  );
  const inHex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [bytes.join(""), inHex, ...inBase64];
}
