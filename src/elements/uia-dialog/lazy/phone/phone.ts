import { html, type TemplateResult } from "lit";
import { fieldTexts, phoneTexts, validationTexts } from "../../../../texts/english.js";
import { partTexts } from "../../../../texts/part-texts.js";
import { field, valueOf } from "../../../../ui/lazy/field.js";
import { insert, isolated, knownTag } from "../../../../ui/lazy/format-text.js";
import type { SecondaryAction, Stage, StageContext, StageView } from "../stages/stage-view.js";
import type * as PhoneNumbers from "./numbers.js";

const texts = partTexts(fieldTexts, phoneTexts, validationTexts);

export { PhoneValidation } from "./validation.js";

/** Keeps the number after it in order, in an option that cannot contain elements. */
const LEFT_TO_RIGHT = "\u200E";

/** Null if it could not be loaded: the user then types the country's code. */
let numbers: typeof PhoneNumbers | null | undefined;

const picked = new WeakMap<HTMLSelectElement, string>();

/**
 * @see https://spec.matrix.org/v1.19/client-server-api/#phone-numbermsisdn-based-identity--homeserver
 */
export const phone: Stage = (context) => {
  const { session } = context;
  if (!session.phone || session.changing) return askNumber(context);
  return session.phone.wantsCode ? askCode(context) : waitForPhoneLink(context);
};

function askNumber(context: StageContext): StageView {
  const { session, refresh } = context;
  if (numbers === undefined) {
    void loadNumbers().then(refresh);
    return { loading: true };
  }
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
      select.value = picked.get(select) ?? select.value;
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

async function loadNumbers(): Promise<void> {
  numbers = await import("./numbers.js").catch(() => null);
}

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
  return html`<label for=${id("country")}>${texts.term(context, "country")}</label>
    <select
      id=${id("country")}
      name="country"
      autocomplete="country"
      @change=${({ currentTarget }: Event) => {
        const select = currentTarget as HTMLSelectElement;
        picked.set(select, select.value);
        refresh();
      }}
    >
      ${phoneNumbers
        .phoneCountries(language)
        .map(
          ({ code, name, callingCode }) =>
            html`<option value=${code} ?selected=${code === chosen}>
              ${name} (${LEFT_TO_RIGHT}+${callingCode})
            </option>`,
        )}
    </select>`;
}

/** The user's country if the browser has it, else that with the most speakers of its language. */
function regionOf(language: string): string {
  const tags = [...navigator.languages, language].map(
    (tag) => new Intl.Locale(knownTag(tag) ?? "en"),
  );
  const { region } = tags.find((tag) => tag.region) ?? tags[0]?.maximize() ?? {};
  return region ?? "";
}

function askCode(context: StageContext): StageView {
  const { session } = context;
  return {
    details: sentTo(context, "phoneSent"),
    fields: field(context, {
      name: "code",
      label: texts.term(context, "code"),
      autocomplete: "one-time-code",
      secret: true,
      inputmode: "numeric",
      error: context.error,
    }),
    errorField: "code",
    action: "continue",
    onSubmit: (values) => session.submitPhoneCode(valueOf(values, "code")),
    secondaryActions: resendOrChange(context),
  };
}

function waitForPhoneLink(context: StageContext): StageView {
  const { session } = context;
  return {
    details: html`${sentTo(context, "linkSent")}
      <p>${texts.term(context, "linkWaiting")}</p>`,
    action: "continue",
    onSubmit: () => session.finish(),
    secondaryActions: resendOrChange(context),
  };
}

function sentTo(context: StageContext, text: "phoneSent" | "linkSent"): TemplateResult {
  const sentence = texts.term(context, text);
  const address = isolated(context.session.phone?.phone ?? "");
  return html`<p>${insert(sentence, "address", address)}</p>`;
}

function resendOrChange(context: StageContext): readonly SecondaryAction[] {
  const { session } = context;
  const onClick = (): unknown => session.requestPhoneToken();
  return [
    { label: texts.term(context, "resend"), onClick, disabled: !session.canResend },
    { label: texts.term(context, "phoneChange"), onClick: () => session.changeAddress() },
  ];
}
