// This library's User-Interactive Authentication alone.
export { InteractiveAuth } from "matrix-auth-elements/core";
