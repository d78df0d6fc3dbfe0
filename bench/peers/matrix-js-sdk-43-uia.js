// matrix-js-sdk 43's User-Interactive Authentication alone.
export { MatrixError } from "matrix-js-sdk-43/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-43/lib/interactive-auth.js";
