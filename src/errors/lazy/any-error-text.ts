import { UiaError } from "../../core/uia/errors.js";
import {
  completionTexts,
  loginTexts,
  matrixLoginTexts,
  oauthTexts,
  requestTexts,
} from "../../locales/en.js";
import { addTexts, type Texts } from "../../texts/texts.js";
import { languageLoaded, languageOf, textIn } from "../../ui/localize.js";
import { ALL_ERRORS, asCodedError, errorSentence, refusalContext } from "./error-text.js";

addTexts({
  $code: "en",
  ...requestTexts,
  ...oauthTexts,
  ...loginTexts,
  ...completionTexts,
  ...matrixLoginTexts,
});

export async function anyErrorText(
  error: unknown,
  language: string = languageOf(document.querySelector("html[lang]") ?? undefined),
): Promise<string> {
  await languageLoaded(language);
  if (error instanceof UiaError && error.code === "cancelled") return "";
  const { code, reason } = asCodedError(error);
  const localize = { term: (key: keyof Texts): string => textIn(language, key) };
  const context = refusalContext(error) ?? { texts: ALL_ERRORS };
  const sentence = errorSentence(localize, code, context);
  // Isolated, because its direction may differ from the text's.
  return reason === undefined ? sentence : `${sentence} \u2068${reason}\u2069`;
}
