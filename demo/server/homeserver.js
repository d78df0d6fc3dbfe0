// @ts-check
export { startHomeserver } from "./homeserver/index.js";
