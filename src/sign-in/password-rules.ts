import { countIn } from "../core/http/body-members.js";
import type { JsonObject } from "../core/http/json.js";
import { requestMatrix } from "../core/matrix/request.js";
import { loadedTexts } from "../texts/part-texts.js";
import type { AuthElement } from "../ui/element.js";
import { languagesOf } from "../ui/format-text.js";

/** @see https://github.com/matrix-org/matrix-spec-proposals/pull/2000 */
const RULES = [
  ["m.require_digit", "ruleDigit"],
  ["m.require_symbol", "ruleSymbol"],
  ["m.require_uppercase", "ruleUppercase"],
  ["m.require_lowercase", "ruleLowercase"],
] as const;

/**
 * The password rules of a homeserver. Synapse publishes them, and other homeservers can publish
 * them, too.
 */
export class PasswordRules {
  readonly #host: AuthElement;
  #rules: JsonObject = {};

  /** Requests the rules. Once they have arrived, the host renders again. */
  constructor(host: AuthElement, homeserverUrl: string) {
    this.#host = host;
    void this.#find(homeserverUrl).catch(() => undefined);
  }

  async #find(homeserverUrl: string): Promise<void> {
    this.#rules = await requestMatrix(homeserverUrl, "v3/password_policy", {});
    this.#host.requestUpdate();
  }

  /** The rules in the language of the host, for the hint of a field; undefined if there are none. */
  get hint(): string | undefined {
    const { localize } = this.#host;
    const languages = languagesOf(localize, "ruleLength");
    const length = countIn(this.#rules["m.minimum_length"]);
    const rules = RULES.filter(([rule]) => this.#rules[rule] === true).map(([, key]) =>
      loadedTexts.term(localize, key),
    );
    if (length) {
      const text = loadedTexts.term(localize, "ruleLength");
      rules.unshift(text.replace("{count}", length.toLocaleString(languages)));
    }
    const list = new Intl.ListFormat(languages, { style: "short", type: "unit" });
    return rules.length > 0 ? list.format(rules) : undefined;
  }
}
