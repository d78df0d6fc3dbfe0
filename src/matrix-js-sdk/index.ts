// For applications with matrix-js-sdk's client. It imports nothing of matrix-js-sdk.
export { attachSession, type AttachableClient } from "./attach-session.js";
