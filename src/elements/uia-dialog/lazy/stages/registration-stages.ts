import { loginTexts, registrationTexts, validationTexts } from "../../../../locales/en.js";
import { addTexts } from "../../../../texts/registry.js";
import { field, valueOf } from "../../../../ui/lazy/field.js";
import type { Stage } from "./stage-view.js";

// The stages that registrations consist of, which few other requests need.

const { errorHomeserverSettings } = loginTexts;
addTexts({ $code: "en", ...registrationTexts, ...validationTexts, errorHomeserverSettings });

export { captcha } from "./captcha.js";
export { email } from "./email.js";
export { terms } from "./terms.js";

/** @see https://spec.matrix.org/v1.19/client-server-api/#token-authenticated-registration */
export const registrationToken: Stage = (context) => {
  const { session, term } = context;
  return {
    instruction: term("tokenAsk"),
    fields: field(context, {
      name: "token",
      label: term("token"),
      autocomplete: "off",
      value: session.inputs.registrationToken ?? "",
      error: context.error,
    }),
    errorField: "token",
    action: "continue",
    onSubmit: (values) => session.submit({ type: session.stage, token: valueOf(values, "token") }),
  };
};
