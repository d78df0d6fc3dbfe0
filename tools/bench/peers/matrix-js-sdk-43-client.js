// matrix-js-sdk 43 as its documentation has it: by `createClient`, as above.
export * from "./matrix-js-sdk-43.js";
export { createClient } from "matrix-js-sdk-43/lib/matrix.js";
