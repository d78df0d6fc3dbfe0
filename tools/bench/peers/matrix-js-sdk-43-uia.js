// Only the User-Interactive Authentication of matrix-js-sdk 43.
export { MatrixError } from "matrix-js-sdk-43/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-43/lib/interactive-auth.js";
