// For programs that run in Node, such as command-line tools and Electron's main process.
export { signInWithLoopback, type LoopbackOptions, type LoopbackSignIn } from "./loopback-login.js";
