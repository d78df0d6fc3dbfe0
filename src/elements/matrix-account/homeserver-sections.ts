/** The sections of accounts that the homeserver itself manages. A provider's page replaces them. */
export { Contacts } from "./contacts.js";
export { Deactivation } from "./deactivation.js";
export { NewPassword } from "./password.js";
