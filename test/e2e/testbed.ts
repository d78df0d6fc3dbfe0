import { fileURLToPath } from "node:url";
import { createAccounts } from "../../demo/server/accounts.js";
import { startAuthorizationServer } from "../../demo/server/authorization-server.js";
import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import type { LoginServers, ProviderPages } from "./login.js";
import { policyOf, type Policy } from "./policy.js";
import { createRefreshGraceAdapter } from "./refresh-grace-adapter.js";
import { atProvider } from "./user-actions.js";

type Fault = import("../../demo/server/faults.js").Fault;
type LoggedRequest = import("../../demo/server/loopback.js").LoggedRequest;

export interface TestbedOptions {
  /** The first step of the discovery that finds the metadata. */
  readonly discovery?: "stable" | "unstable" | "auth_issuer" | "well-known" | "none";
  /** The path of the issuer, such as `/realms/demo`. */
  readonly issuerPath?: string;
  /** The pages' policy, by its title in docs/guides/content-security-policy.md. */
  readonly policy?: Policy;
  /** The origin of the site that the policy "widget" allows to frame the pages. */
  readonly site?: string;
  /** Whether a refresh token remains valid until its successor is used, as Matrix requires. */
  readonly refreshGrace?: boolean;
  /** The user whom the provider signs in without showing its pages. */
  readonly autoApprove?: string;
}

/** The settings and records of a test's servers. */
interface ServerControls {
  /** The servers' faults, by the end of the request's path. */
  readonly faults: Record<string, Fault>;
  readonly requestLog: LoggedRequest[];
  reset(): void;
}

/** A real provider and a homeserver that delegates to it, with pages that use the built package. */
export interface Testbed extends ServerControls, LoginServers {
  close(): Promise<void>;
}

const NO_PAGES: ProviderPages = { signIn: () => Promise.resolve(), allow: () => Promise.resolve() };

/** The policy for tests with other servers. */
export const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self' http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html",
].join("; ");

const root = new URL("../../", import.meta.url);
export const folder = (path: string): string => fileURLToPath(new URL(path, root));

export function serverControls(): ServerControls {
  const faults: Record<string, Fault> = {};
  const requestLog: LoggedRequest[] = [];
  return {
    faults,
    requestLog,
    reset() {
      for (const path of Object.keys(faults)) delete faults[path];
      requestLog.length = 0;
    },
  };
}

export async function startTestbed({
  discovery = "stable",
  policy = "script tag",
  site,
  refreshGrace = false,
  ...options
}: TestbedOptions = {}): Promise<Testbed> {
  const controls = serverControls();
  const authorizationServer = await startAuthorizationServer({
    accounts: createAccounts(),
    ...(refreshGrace && { adapter: createRefreshGraceAdapter() }),
    ...options,
    ...controls,
  });
  const homeserver = await startHomeserver({ authorizationServer, discovery, ...controls });
  const origins = {
    homeserver: homeserver.baseUrl,
    issuer: new URL(authorizationServer.issuer).origin,
    site,
  };
  const pages = await startPages({
    roots: {
      "/": folder("test/e2e/pages"),
      "/dist/": folder("dist"),
      // This serves only the script tag's file, without the files that it loads later.
      "/alone/": folder("dist/cdn/matrix-auth-elements.js"),
    },
    headers: { "Content-Security-Policy": policyOf(policy, origins) },
  });
  return {
    ...controls,
    homeserver: homeserver.baseUrl,
    issuer: authorizationServer.issuer,
    pages: pages.origin,
    provider: options.autoApprove ? NO_PAGES : atProvider,
    user: "alice",
    tokenPath: `${options.issuerPath ?? ""}/oauth2/token`,
    takeRequests: () =>
      controls.requestLog
        .splice(0)
        .filter(({ preflight }) => !preflight)
        .map(({ method, path }) => `${method} ${path}`),
    async close() {
      await Promise.all([authorizationServer.close(), homeserver.close(), pages.close()]);
    },
  };
}
