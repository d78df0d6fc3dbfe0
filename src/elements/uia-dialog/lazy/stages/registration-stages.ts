// The stages that registrations consist of, which few other requests need.
export { enRegistration as texts } from "../../../../locales/en-registration.js";
export { captcha } from "./captcha.js";
export { email } from "./email.js";
export { registrationToken } from "./registration-token.js";
export { terms } from "./terms.js";
