import { html, type TemplateResult } from "lit";
import { fieldTexts, phoneTexts, validationTexts } from "../../../texts/english.js";
import { partTexts } from "../../../texts/part-texts.js";
import { field, valueOf } from "../../../ui/form/field.js";
import { insert } from "../../../ui/format-text.js";
import { numbersOrLoad, phoneNumber, regionOf } from "../../../ui/phone/phone-number.js";
import type * as PhoneNumbers from "../../../ui/phone/numbers.js";
import { oneField } from "../stages/one-field.js";
import type { Stage, StageContext, StageView } from "../stages/stage-view.js";

const texts = partTexts(fieldTexts, phoneTexts, validationTexts);

export { PhoneValidation } from "./validation.js";

/** Keeps the following number in order. An `<option>` can't contain elements for that. */
const LEFT_TO_RIGHT = "\u200E";

/** The country of each field, even before the user has chosen one. */
const countryOf = new WeakMap<HTMLSelectElement, string>();

/**
 * @see https://spec.matrix.org/v1.19/client-server-api/#phone-numbermsisdn-based-identity--homeserver
 */
export const phone: Stage = (context) => {
  const { session, refresh } = context;
  const numbers = numbersOrLoad(refresh);
  if (numbers === undefined) return { loading: true };
  if (!session.phone || session.changing) return askNumber(context, numbers);
  return session.phone.wantsCode ? askCode(context) : waitForPhoneLink(context);
};

function askNumber(context: StageContext, numbers: typeof PhoneNumbers | null): StageView {
  const { session } = context;
  return {
    instruction: texts.term(context, "phoneAsk"),
    fields: html`${countries(context, numbers)}${field(context, {
      name: "phone",
      label: html`${texts.term(context, "phone")}<span></span>`,
      type: "tel",
      autocomplete: "tel",
      value: session.phone?.phone ?? session.inputs.phoneNumber ?? "",
      error: context.error,
    })}`,
    errorField: "phone",
    // The order of the options changes with the language.
    ready(form) {
      const select = form.querySelector("select");
      if (!select) return;
      if (!countryOf.has(select)) countryOf.set(select, select.value);
      select.value = countryOf.get(select) ?? "";
      // On a narrow screen, the end of the option is cut off.
      const { text = "" } = select.selectedOptions[0] ?? {};
      form.querySelector("label > span")?.replaceChildren(text.slice(text.lastIndexOf(" (")));
    },
    action: { label: texts.term(context, "phoneSend") },
    onSubmit(values) {
      const country = valueOf(values, "country").toUpperCase();
      void session.requestPhoneToken(country, valueOf(values, "phone"));
    },
  };
}

/** Without the countries' rules, the user types the country's code. */
function countries(
  context: StageContext,
  phoneNumbers: typeof PhoneNumbers | null,
): TemplateResult {
  const { id, language, refresh, session } = context;
  const chosen = session.phone?.country ?? session.inputs.phoneCountry ?? regionOf(language);
  if (!phoneNumbers) {
    return field(context, {
      name: "country",
      label: texts.term(context, "country"),
      autocomplete: "country",
      maxlength: 2,
      value: chosen,
    });
  }
  const names = new Intl.DisplayNames([language, "en"], { type: "region" });
  const options = phoneNumbers
    .getCountries()
    .map((code) => ({
      code,
      name: `${names.of(code) ?? code} (${LEFT_TO_RIGHT}+${phoneNumbers.getCountryCallingCode(code)})`,
    }))
    .sort((a, b) => a.name.localeCompare(b.name, language));
  return html`<label for=${id("country")}>${texts.term(context, "country")}</label>
    <select
      id=${id("country")}
      name="country"
      autocomplete="country"
      @change=${({ currentTarget }: Event) => {
        const select = currentTarget as HTMLSelectElement;
        countryOf.set(select, select.value);
        refresh();
      }}
    >
      ${options.map(
        ({ code, name }) =>
          html`<option value=${code} ?selected=${code === chosen}>${name}</option>`,
      )}
    </select>`;
}

function askCode(context: StageContext): StageView {
  const { session } = context;
  const label = texts.term(context, "code");
  const code = { name: "code", label, autocomplete: "one-time-code", secret: true } as const;
  return {
    ...oneField(context, { ...code, inputmode: "numeric" }, (typed) =>
      session.submitPhoneCode(typed),
    ),
    details: sentTo(context, "phoneSent"),
    ...resendOrChange(context),
  };
}

function waitForPhoneLink(context: StageContext): StageView {
  const { session } = context;
  return {
    details: html`${sentTo(context, "linkSent")}
      <p>${texts.term(context, "linkWaiting")}</p>`,
    action: "continue",
    onSubmit: () => session.finish(),
    ...resendOrChange(context),
  };
}

function sentTo(context: StageContext, text: "phoneSent" | "linkSent"): TemplateResult {
  const sentence = texts.term(context, text);
  const { phone = "", country = "" } = context.session.phone ?? {};
  const address = phoneNumber(phone, country, context.refresh);
  return html`<p>${insert(sentence, "address", address)}</p>`;
}

function resendOrChange(context: StageContext): StageView {
  const { session } = context;
  return {
    resend: () => session.requestPhoneToken(),
    secondaryActions: [
      { label: texts.term(context, "phoneChange"), onClick: () => session.changeAddress() },
    ],
  };
}
