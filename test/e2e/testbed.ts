import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import type { Origins } from "./policy.js";
import { createRefreshGraceAdapter } from "./refresh-grace-adapter.js";

type Fault = import("../../demo/server/faults.js").Fault;
type LoggedRequest = import("../../demo/server/loopback.js").LoggedRequest;

export interface TestbedOptions {
  /** From which step on a client finds the metadata. */
  readonly discovery?: "stable" | "unstable" | "auth_issuer" | "well-known" | "none";
  /** Such as `/realms/demo`. */
  readonly issuerPath?: string;
  /** Of the pages; by default {@link POLICY}. */
  readonly policy?: (origins: Origins) => string;
  /** Whether a refresh token is good until what came in its place is used, as Matrix asks. */
  readonly refreshGrace?: boolean;
}

/** A real provider and a homeserver that delegates to it, with pages that use the built package. */
export interface Testbed {
  readonly homeserver: string;
  readonly issuer: string;
  /** Where the pages of test/e2e/pages are, under a strict content security policy. */
  readonly pages: string;
  /** Where the demo's pages for script tags are. */
  readonly scriptTag: string;
  /** By the end of a path: what a server does wrong. */
  readonly faults: Record<string, Fault>;
  /** The requests since the last call, without preflights: method and path. */
  takeRequests(): readonly string[];
  stopProvider(): Promise<void>;
  close(): Promise<void>;
}

/** The policy of the README: every flow runs under it. */
export const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self' http://localhost:*",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html",
].join("; ");

const root = new URL("../../", import.meta.url);
export const folder = (path: string): string => fileURLToPath(new URL(path, root));

export async function startTestbed({
  discovery = "stable",
  issuerPath = "",
  policy = () => POLICY,
  refreshGrace = false,
}: TestbedOptions = {}): Promise<Testbed> {
  const requestLog: LoggedRequest[] = [];
  const faults: Record<string, Fault> = {};
  const authorizationServer = await startAuthorizationServer({
    accounts: createAccounts(),
    issuerPath,
    ...(refreshGrace && { adapter: createRefreshGraceAdapter() }),
    requestLog,
    faults,
  });
  const homeserver = await startHomeserver({ authorizationServer, discovery, requestLog, faults });
  const alone = await mkdtemp(join(tmpdir(), "matrix-auth-elements-"));
  await copyFile(
    folder("dist/cdn/matrix-auth-elements.js"),
    join(alone, "matrix-auth-elements.js"),
  );
  const pages = await startPages({
    roots: {
      "/": folder("test/e2e/pages"),
      "/dist/": folder("dist"),
      // Where only the script tag's file is, without what it loads later.
      "/alone/": alone,
    },
    headers: {
      "Content-Security-Policy": policy({
        homeserver: homeserver.baseUrl,
        issuer: new URL(authorizationServer.issuer).origin,
      }),
    },
  });
  const scriptTag = await startPages({
    roots: {
      "/": folder("demo/pages"),
      "/script-tag/": folder("demo/script-tag"),
      "/dist/": folder("dist"),
    },
    replace: [["localhost:8008", homeserver.serverName]],
  });
  let providerRuns = true;
  const stopProvider = async (): Promise<void> => {
    if (providerRuns) await authorizationServer.close();
    providerRuns = false;
  };
  return {
    homeserver: homeserver.baseUrl,
    issuer: authorizationServer.issuer,
    pages: pages.origin,
    scriptTag: `${scriptTag.origin}/script-tag`,
    faults,
    takeRequests: () =>
      requestLog
        .splice(0)
        .filter(({ preflight }) => !preflight)
        .map(({ method, path }) => `${method} ${path.split("?", 1)[0] ?? ""}`),
    stopProvider,
    async close() {
      await Promise.all([stopProvider(), homeserver.close(), pages.close(), scriptTag.close()]);
      await rm(alone, { recursive: true });
    },
  };
}
