import type { Texts } from "../texts/texts.js";
import { MAX_REASON_LENGTH, type Message, withWords } from "./format-text.js";

/**
 * The texts that leave open what only the server knows, such as which rule a password breaks. After any
 * other text, its own words, in its language, would only repeat what is said.
 */
const OPEN: readonly (keyof Texts)[] = [
  "requestRefused",
  "errorServer",
  "stepUnfinished",
  "passwordWeak",
  "usernameNotAllowed",
  "notAllowed",
  "phoneInvalid",
  "errorAwaitingApproval",
  "errorProviderRefused",
  "errorApplicationRefused",
];

/** The server's own message, if it adds something to a text. */
export const wordsAfter = (key: keyof Texts, words: string | undefined): string | undefined =>
  OPEN.includes(key) ? words?.slice(0, MAX_REASON_LENGTH) : undefined;

/** A message, and below it the server's own message if it adds something. */
export const withReason = (key: keyof Texts, text: string, reason: string | undefined): Message =>
  withWords(text, wordsAfter(key, reason));
