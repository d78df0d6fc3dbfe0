// A homeserver and its provider for an app's tests: docs/guides/test-your-app.md.
export type { MswHttp, PlaywrightRoute } from "./adapters.js";
export * from "./options.js";
export { createTestServers, type TestServers } from "./test-servers.js";
