import { UiaError } from "../../core/uia/errors.js";
import {
  completionTexts,
  loginTexts,
  matrixLoginTexts,
  oauthTexts,
  requestTexts,
} from "../../texts/english.js";
import { type BasicKey, partTexts } from "../../texts/part-texts.js";
import { languageLoaded, languageOf, textIn } from "../../ui/localize.js";
import { asCodedError, sentenceOf } from "./error-text.js";

const texts = partTexts(requestTexts, oauthTexts, loginTexts, completionTexts, matrixLoginTexts);

export async function anyErrorText(
  error: unknown,
  language: string = languageOf(document.querySelector("html[lang]") ?? undefined),
): Promise<string> {
  await languageLoaded(language);
  if (error instanceof UiaError && error.code === "cancelled") return "";
  const coded = asCodedError(error);
  const { reason } = coded;
  const localize = { term: (key: BasicKey): string => textIn(language, key) };
  const sentence = sentenceOf((key) => texts.term(localize, key), coded);
  // Isolated, because its direction may differ from the text's.
  return reason === undefined ? sentence : `${sentence} \u2068${reason}\u2069`;
}
