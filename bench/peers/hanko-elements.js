// Hanko's elements, registered as its documentation has it. English alone is built in.
export { register } from "@teamhanko/hanko-elements";
