import type { OidcErrorCode } from "../../../core/index.js";
import type { LocalizeController } from "../localize.js";
import { LOGIN_CODES, errorSentence, type ErrorText } from "./error-text.js";

/** While a homeserver is looked up, a typing mistake is the likeliest cause. */
const LOOK_UP_TEXTS: Partial<Record<OidcErrorCode, ErrorText>> = {
  network_error: "errorUnreachable",
  homeserver_invalid: "errorNotAServer",
};

/**
 * What users see for an error's code on the way to the provider.
 *
 * @param soughtServer The homeserver that could not be found, as it was typed.
 */
export function loginErrorSentence(
  localize: Pick<LocalizeController, "term">,
  code: OidcErrorCode,
  soughtServer?: string,
): string {
  const key = soughtServer && navigator.onLine ? LOOK_UP_TEXTS[code] : undefined;
  if (!key || soughtServer === undefined) return errorSentence(localize, code, LOGIN_CODES);
  // Isolated, because its direction may differ from the text's.
  return localize.term(key).replace("{server}", () => `\u2068${soughtServer.trim()}\u2069`);
}
