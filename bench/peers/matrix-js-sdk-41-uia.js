// matrix-js-sdk 41.9's User-Interactive Authentication alone.
export { MatrixError } from "matrix-js-sdk-41/lib/http-api/errors.js";
export { InteractiveAuth } from "matrix-js-sdk-41/lib/interactive-auth.js";
