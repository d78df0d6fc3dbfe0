import { startHomeserver } from "../../demo/server/homeserver.js";
import { startPages } from "../../demo/server/pages.js";
import type { LoginServers } from "./login.js";
import { NONCE, policyOf, type Policy } from "./policy.js";
import { folder, serverControls, type Testbed } from "./testbed.js";

type Homeserver = Awaited<ReturnType<typeof startHomeserver>>;

/** A homeserver that signs users in by itself, with the demo's pages for it. */
export interface PasswordTestbed extends Omit<Testbed, Exclude<keyof LoginServers, "pages">> {
  readonly homeserver: Homeserver;
  /** The demo's pages. */
  readonly demo: string;
  /** The requests to the client-server API that changed something, since the last call. */
  takeRequests(): readonly string[];
  /** The link in the last email. */
  lastLink(): string;
  lastCode(): string;
}

/**
 * @param policy The policy of the pages in test/e2e/pages.
 * @param captcha The captcha's origin.
 */
export async function startPasswordTestbed(
  policy: Policy = "script tag",
  captcha?: string,
): Promise<PasswordTestbed> {
  const controls = serverControls();
  const homeserver = await startHomeserver({ ...controls });
  const { baseUrl, serverName } = homeserver;
  for (const name of ["KITCHEN", "ATTIC"]) {
    homeserver.servers.account("alice")?.devices.push({ device_id: name, display_name: name });
  }
  const packages = { "/dist/": folder("dist"), "/node_modules/": folder("node_modules") };
  const demo = await startPages({
    roots: { "/": folder("demo/pages"), ...packages },
    replace: [["localhost:8009", serverName]],
  });
  const pages = await startPages({
    roots: { "/": folder("test/e2e/pages"), ...packages },
    headers: {
      "Content-Security-Policy": policyOf(policy, {
        homeserver: baseUrl,
        issuer: baseUrl,
        captcha,
      }),
    },
    replace: [
      ["{nonce}", NONCE],
      ["{captcha}", captcha ?? ""],
    ],
  });
  return {
    ...controls,
    homeserver,
    demo: demo.origin,
    pages: pages.origin,
    takeRequests: () =>
      controls.requestLog
        .splice(0)
        .filter(
          ({ preflight, method, path }) =>
            !preflight && method !== "GET" && path.startsWith("/_matrix"),
        )
        .map(({ method, path }) => `${method} ${path.replace(/^\/_matrix\/client\/\w+/, "")}`),
    lastLink: () => homeserver.outbox.at(-1)?.link ?? "",
    lastCode: () => homeserver.outbox.at(-1)?.code ?? "",
    async close() {
      await Promise.all([homeserver.close(), demo.close(), pages.close()]);
    },
  };
}
