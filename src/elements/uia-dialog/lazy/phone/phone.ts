// The stage for phone numbers, which few requests have: its view and what that does.
export { enPhone as texts } from "../../../../locales/en-phone.js";
export { PhoneValidation } from "./validation.js";
export { phone } from "./stage.js";
