// matrix-js-sdk 41.9 as its documentation has it: by `createClient`. Cryptography in WebAssembly is
// loaded later and not counted.
export * from "./matrix-js-sdk-41.js";
export { createClient } from "matrix-js-sdk-41/lib/matrix.js";
