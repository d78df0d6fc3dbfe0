import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  completeFlow,
  discoverHomeserver,
  generateAuthorizationParams,
  generateAuthorizationUrl,
  HomeserverClient,
  registerOidcClient,
} from "matrix-auth-elements/core";
import type { Tab } from "./driver/driver.js";
import type { LoginServers } from "./login.js";

type SignIn = Awaited<ReturnType<typeof completeFlow>>;

/**
 * Signs in like a program that stores its own state. It opens the provider in the user's browser, and
 * waits for the response at its own URL.
 */
export async function signInWithoutBrowser(
  { homeserver, provider, clientUri }: LoginServers,
  tab: Tab,
): Promise<SignIn> {
  const server = createServer((_, response) => response.end("You may close this page."));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const redirectUri = `http://localhost:${(server.address() as AddressInfo).port}/callback`;
    const authorize = async (authorizationUrl: string): Promise<URLSearchParams> => {
      const response = new Promise<URLSearchParams>((resolve) => {
        server.on("request", ({ url = "" }) => {
          const { pathname, searchParams } = new URL(url, redirectUri);
          if (pathname === "/callback") resolve(searchParams);
        });
      });
      await tab.goto(authorizationUrl);
      await provider.signIn(tab);
      return response;
    };
    return await completeInNode(homeserver, redirectUri, authorize, clientUri);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Signs in with a provider that shows no pages (`autoApprove`), for a page at that redirect URI. */
export const signInByRedirects = (homeserver: string, redirectUri: string): Promise<SignIn> =>
  completeInNode(homeserver, redirectUri, async (authorizationUrl) => {
    const { url } = await createVisitor(redirectUri).visit(authorizationUrl);
    return new URL(url).searchParams;
  });

/** A page that was visited. */
export interface Visited {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A minimal browser, which only makes requests. */
export interface Visitor {
  /** Requests a URL with cookies, and follows redirects. A form is sent with POST. */
  visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visited>;
}

/** @param end The beginning of URLs that end the redirects without a request. */
export function createVisitor(end?: string): Visitor {
  const cookies = new Map<string, string>();
  return {
    async visit(url, form) {
      const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, {
        redirect: "manual",
        headers: { Cookie },
        ...(form && { method: "POST", body: new URLSearchParams(form) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const { status, headers } = response;
      const text = await response.text();
      const location = headers.get("Location");
      if (location === null) return { url, status, headers, text };
      const next = new URL(location, url).href;
      return end !== undefined && next.startsWith(end)
        ? { url: next, status, headers, text }
        : this.visit(next);
    },
  };
}

async function completeInNode(
  homeserver: string,
  redirectUri: string,
  authorize: (url: string) => Promise<URLSearchParams>,
  clientUri = new URL(redirectUri).origin,
): Promise<SignIn> {
  const { baseUrl } = await discoverHomeserver(homeserver);
  const metadata = await new HomeserverClient({ baseUrl }).getAuthMetadata();
  const clientId = await registerOidcClient(metadata, {
    clientName: "A program",
    "clientName#fr": "Un programme",
    clientUri,
    redirectUris: [redirectUri],
  });
  const deviceId = "PROGRAMDEVICE";
  const params = generateAuthorizationParams({ redirectUri, deviceId });
  const url = await generateAuthorizationUrl(metadata.authorization_endpoint, clientId, params);
  const flow = { ...params, deviceId, metadata, clientId, homeserverUrl: baseUrl };
  return completeFlow(
    { ...flow, responseMode: "query", createdAt: Date.now() },
    await authorize(url),
  );
}
