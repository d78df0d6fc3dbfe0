// Only the User-Interactive Authentication of this library.
export { InteractiveAuth } from "matrix-auth-elements/core";
