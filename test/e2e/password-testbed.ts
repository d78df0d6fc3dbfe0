import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import { NONCE, type Origins } from "./policy.js";
import { POLICY, folder } from "./testbed.js";

type Fault = import("../../demo/server/faults.js").Fault;
type LoggedRequest = import("../../demo/server/loopback.js").LoggedRequest;
type Homeserver = Awaited<ReturnType<typeof startHomeserver>>;

/** A homeserver that signs people in by itself, with the demo's pages for it. */
export interface PasswordTestbed {
  readonly homeserver: Homeserver;
  /** The demo's pages. */
  readonly demo: string;
  /** Where the pages of test/e2e/pages are, under a strict content security policy. */
  readonly strict: string;
  readonly faults: Record<string, Fault>;
  /** The requests to the client-server API that changed something, since the last call. */
  takeRequests(): readonly string[];
  /** The link of the last message. */
  lastLink(): string;
  lastCode(): string;
  close(): Promise<void>;
}

/** @param policy Of the strict pages; by default {@link POLICY}. */
export async function startPasswordTestbed(
  policy: (origins: Origins) => string = () => POLICY,
): Promise<PasswordTestbed> {
  const requestLog: LoggedRequest[] = [];
  const faults: Record<string, Fault> = {};
  const homeserver = await startHomeserver({ requestLog, faults });
  const userId = `@alice:${homeserver.serverName}`;
  for (const deviceId of ["KITCHEN", "ATTIC"]) {
    homeserver.devices.see({ userId, deviceId, displayName: deviceId, ip: "127.0.0.1" });
  }
  const demo = await startPages({
    roots: {
      "/": folder("demo/pages"),
      "/script-tag/": folder("demo/script-tag"),
      "/dist/": folder("dist"),
      "/node_modules/": folder("node_modules"),
    },
    replace: [["localhost:8009", homeserver.serverName]],
  });
  const strict = await startPages({
    roots: {
      "/": folder("test/e2e/pages"),
      "/dist/": folder("dist"),
      "/node_modules/": folder("node_modules"),
    },
    headers: {
      "Content-Security-Policy": policy({
        homeserver: homeserver.baseUrl,
        issuer: homeserver.baseUrl,
      }),
    },
    replace: [["{nonce}", NONCE]],
  });
  return {
    homeserver,
    demo: demo.origin,
    strict: strict.origin,
    faults,
    takeRequests: () =>
      requestLog
        .splice(0)
        .filter(
          ({ preflight, method, path }) =>
            !preflight && method !== "GET" && path.startsWith("/_matrix"),
        )
        .map(({ method, path }) => `${method} ${path.replace(/^\/_matrix\/client\/\w+/, "")}`),
    lastLink: () => homeserver.outbox.at(-1)?.link ?? "",
    lastCode: () => homeserver.outbox.at(-1)?.code ?? "",
    async close() {
      await Promise.all([homeserver.close(), demo.close(), strict.close()]);
    },
  };
}
