// A homeserver and its provider for an app's tests: docs/guides/test-your-app.md.
import { makeSigningKey } from "./id-token.js";
import type { TestServersOptions } from "./options.js";
import { TestServers } from "./test-servers.js";

export type { MswHttp, PlaywrightRoute } from "./adapters.js";
export * from "./options.js";
export type { TestServers };

/**
 * Makes a homeserver and its OAuth 2.0 provider for tests.
 *
 * @experimental
 */
export async function createTestServers(options: TestServersOptions = {}): Promise<TestServers> {
  return new TestServers(options, await makeSigningKey(options.algorithm ?? "ES256"));
}
