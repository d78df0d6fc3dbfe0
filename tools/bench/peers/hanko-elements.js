// Hanko's elements, registered as its documentation says. Only English is built in.
export { register } from "@teamhanko/hanko-elements";
