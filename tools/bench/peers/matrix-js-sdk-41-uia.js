// Only the User-Interactive Authentication of matrix-js-sdk 41.9.
export { MatrixError } from "matrix-js-sdk-41/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-41/lib/interactive-auth.js";
