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

/**
 * Signs in as a program does that keeps its own state: it sends a person's browser to the provider, and
 * waits for the answer at an address of its own.
 *
 * @param signsIn What the person does there.
 */
export async function signInWithoutBrowser(
  homeserver: string,
  tab: Tab,
  signsIn: (tab: Tab) => Promise<void>,
): Promise<Awaited<ReturnType<typeof completeFlow>>> {
  const answers = createServer((_, response) => response.end("You may close this page."));
  answers.listen(0, "127.0.0.1");
  await once(answers, "listening");
  try {
    const redirectUri = `http://localhost:${(answers.address() as AddressInfo).port}/callback`;
    const { baseUrl } = await discoverHomeserver(homeserver);
    const metadata = await new HomeserverClient({ baseUrl }).getAuthMetadata();
    const clientId = await registerOidcClient(metadata, {
      clientName: "A program",
      clientUri: new URL(redirectUri).origin,
      redirectUris: [redirectUri],
    });
    const deviceId = "PROGRAMDEVICE";
    const params = generateAuthorizationParams({ redirectUri, deviceId });
    const answered = new Promise<URLSearchParams>((resolve) => {
      answers.on("request", ({ url = "" }) => {
        const { pathname, searchParams } = new URL(url, redirectUri);
        if (pathname === "/callback") resolve(searchParams);
      });
    });
    await tab.goto(
      await generateAuthorizationUrl(metadata.authorization_endpoint, clientId, params),
    );
    await signsIn(tab);
    const flow = { ...params, deviceId, metadata, clientId, homeserverUrl: baseUrl };
    return await completeFlow(
      { ...flow, responseMode: "query", createdAt: Date.now() },
      await answered,
    );
  } finally {
    answers.closeAllConnections();
    answers.close();
  }
}
