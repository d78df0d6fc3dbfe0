// The exports of `matrix-auth-elements`. This entry registers no elements.
export * from "./all-elements.js";
export * from "./core/index.js";
