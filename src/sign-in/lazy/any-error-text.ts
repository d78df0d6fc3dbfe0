import { UiaError, type UiaErrorCode } from "../../core/uia/errors.js";
import {
  completionTexts,
  loginTexts,
  matrixLoginTexts,
  oauthTexts,
  requestTexts,
} from "../../locales/en.js";
import { addTexts } from "../../texts/registry.js";
import type { Texts } from "../../texts/texts.js";
import { languageLoaded, languageOf, textIn } from "../../ui/localize.js";
import { asCodedError, codedErrorSentence, loginErrorSentence } from "./error-text.js";

addTexts({
  $code: "en",
  ...requestTexts,
  ...oauthTexts,
  ...loginTexts,
  ...completionTexts,
  ...matrixLoginTexts,
});

/** What a user is told after the dialog is closed. */
const UIA_TEXTS: Readonly<Record<Exclude<UiaErrorCode, "cancelled">, keyof Texts>> = {
  no_auth_flow: "requestRefused",
  flow_exhausted: "requestRefused",
  dummy_refused: "requestRefused",
  validation_invalid: "errorServer",
  email_missing: "errorPageSettings",
  no_handler: "errorPageSettings",
  not_attempting: "errorPageSettings",
  not_connected: "errorPageSettings",
  not_visible: "errorPageSettings",
  load_failed: "errorLoadFailed",
};

/** @see errorText */
export async function anyErrorText(
  error: unknown,
  language: string = languageOf(document.querySelector("html[lang]") ?? undefined),
): Promise<string> {
  await languageLoaded(language);
  const term = (key: keyof Texts): string => textIn(language, key);
  if (!(error instanceof UiaError)) {
    const coded = asCodedError(error);
    const sentence = codedErrorSentence({ term }, coded, (code) =>
      loginErrorSentence({ term }, code),
    );
    // Isolated, because its direction may differ from the text's.
    return coded.reason === undefined ? sentence : `${sentence} \u2068${coded.reason}\u2069`;
  }
  return error.code === "cancelled" ? "" : term(UIA_TEXTS[error.code]);
}
