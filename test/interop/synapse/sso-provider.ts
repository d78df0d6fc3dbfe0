import { createServer } from "node:http";
import { Provider } from "../../../demo/server/authorization-server/provider-library.js";
import type { Loopback } from "./loopback.js";

/** How Synapse is known to the provider. */
export const SSO_CLIENT = { client_id: "synapse", client_secret: "synapse-secret" } as const;

/**
 * A provider of single sign-on for Synapse: it takes any name, with any password, and asks for consent.
 *
 * @param redirectUri Synapse's own.
 */
export async function startSsoProvider(redirectUri: string): Promise<Loopback> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("No port");
  const origin = `http://localhost:${address.port}`;
  const provider = new Provider(origin, {
    clients: [{ ...SSO_CLIENT, redirect_uris: [redirectUri] }],
    cookies: { keys: ["a key for the tests"] },
  });
  server.on("request", provider.callback());
  return {
    origin,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
