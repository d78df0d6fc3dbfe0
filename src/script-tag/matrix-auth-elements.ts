// The source of `dist/cdn/matrix-auth-elements.js`. Gzip finds repetitions only within 32 KB, so Lit comes
// first, and the library's own code is in one piece.
import "lit";
import "./check-integrity.js";
import "./load-languages.js";

export * from "../all-elements.js";
export { define } from "../define/index.js";
