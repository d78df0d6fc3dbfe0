// The stages that registrations consist of, which few other requests need.
import { registrationTexts } from "../../../../locales/en.js";
import { addTexts } from "../../../../texts/registry.js";

addTexts({ $code: "en", ...registrationTexts });

export { captcha } from "./captcha.js";
export { email } from "./email.js";
export { registrationToken } from "./registration-token.js";
export { terms } from "./terms.js";
