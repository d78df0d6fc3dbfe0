import type { Texts } from "../texts/texts.js";
import { MAX_REASON_LENGTH, type Message, withWords } from "./format-text.js";

/**
 * The texts that lack a detail that only the server knows, such as the rule that a password breaks.
 * After any other text, the server's message, in the server's language, would only repeat the text.
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

/** The server's message, if it adds something to a text. */
export const wordsAfter = (key: keyof Texts, words: string | undefined): string | undefined =>
  OPEN.includes(key) ? words?.slice(0, MAX_REASON_LENGTH) : undefined;

/** A message, followed by the server's message if that adds something. */
export const withReason = (key: keyof Texts, text: string, reason: string | undefined): Message =>
  withWords(text, wordsAfter(key, reason));
