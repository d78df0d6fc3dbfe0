import { after, before, beforeEach } from "node:test";
import type { Browser } from "../../e2e/fixture.js";
import type { Loopback } from "../synapse/loopback.js";
import { Application, startApplicationPages } from "./application.js";

/**
 * A homeserver for a suite, and the app, which is opened for each test without a signed-in user.
 */
export interface Given<Server> {
  readonly server: Server;
  readonly app: Application;
}

export function useApplication<Server extends { baseUrl: string; close(): Promise<void> }>(
  browser: Browser,
  start: () => Promise<Server>,
): Given<Server> {
  let server: Server;
  let pages: Loopback;
  let app: Application;
  before(
    async () => void ([server, pages] = await Promise.all([start(), startApplicationPages()])),
  );
  after(() => Promise.all([server.close(), pages.close()]));
  beforeEach(async () => {
    app = await Application.open(pages, browser.profile, server.baseUrl);
  });
  return {
    get server() {
      return server;
    },
    get app() {
      return app;
    },
  };
}
