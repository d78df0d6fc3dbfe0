// What `matrix-auth-elements` exports. It registers nothing.
export * from "./all-elements.js";
export * from "./core/index.js";
