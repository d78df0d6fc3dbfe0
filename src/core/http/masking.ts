import { FREQUENT_MEMBER, FREQUENT_TEXT, type Mask, MASK } from "./mask.js";
import type * as SecretsPart from "./secrets.js";
import { wait } from "./wait.js";

type Sent = Pick<RequestInit, "headers" | "body">;

/** The time that the code may take to load, in milliseconds. */
const LOAD_MS = 3000;

let part: Promise<typeof SecretsPart | undefined> | undefined;

function loadPart(): typeof part {
  part ??= import("./secrets.js").catch(() => (part = undefined));
  return part;
}

/**
 * Makes a function that removes from a server's error what a request has sent. Its code is loaded with the
 * first error, because most pages get none. If that fails, as in a service worker, no words are kept.
 *
 * @param secretsOf Selects the secrets.
 */
export async function loadMask(
  secretsOf: (secrets: typeof SecretsPart) => readonly string[],
): Promise<Mask> {
  const loaded = new AbortController();
  const tooLong = wait(LOAD_MS, loaded.signal).catch(() => undefined);
  const secrets = await Promise.race([loadPart(), tooLong]);
  loaded.abort();
  return secrets ? secrets.maskOf(secretsOf(secrets)) : <T>(value: T) => withoutWords(value) as T;
}

/** The body of an error response, without what the request has sent. */
export async function maskBody(body: unknown, sent: Sent): Promise<unknown> {
  const words: unknown[] = [];
  const plain = withoutWords(body, () => words.push(true));
  if (words.length === 0) return plain;
  return (await loadMask(({ secretsIn }) => secretsIn(sent)))(body);
}

/** No response that this library reads is nested deeper. */
const MAX_DEPTH = 64;

/** Keeps only what code compares. */
function withoutWords(value: unknown, onWords?: () => unknown, name = "", depth = 0): unknown {
  const isKept =
    typeof value === "string"
      ? name === "session" || FREQUENT_TEXT.test(value)
      : typeof value === "number"
        ? name === "retry_after_ms"
        : depth <= MAX_DEPTH;
  if (!isKept) {
    onWords?.();
    return MASK;
  }
  if (typeof value !== "object" || value === null) return value;
  const inside = (each: unknown, member?: string) => withoutWords(each, onWords, member, depth + 1);
  if (Array.isArray(value)) return value.map((each) => inside(each));
  const known = Object.entries(value).filter(([member]) => FREQUENT_MEMBER.test(member));
  if (known.length < Object.keys(value).length) onWords?.();
  return Object.fromEntries(known.map(([member, each]) => [member, inside(each, member)]));
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
