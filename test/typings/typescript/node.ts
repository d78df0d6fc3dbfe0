// The core and the test servers in Node, with Node's types only, without the DOM's.
import { generateScope, HomeserverClient, MatrixError } from "matrix-auth-elements/core";
import { createTestServers } from "matrix-auth-elements/testing";

const client = new HomeserverClient({ baseUrl: "https://hs.example", accessToken: "token" });

export async function whoami(): Promise<string> {
  try {
    return `${(await client.whoami()).user_id} ${generateScope()}`;
  } catch (error) {
    return error instanceof MatrixError ? (error.errcode ?? "") : "";
  }
}

export async function testedWhoami(): Promise<string> {
  const servers = await createTestServers({ login: ["password"] });
  const { accessToken } = servers.signIn("alice");
  const { homeserver: baseUrl, fetch } = servers;
  return (await new HomeserverClient({ baseUrl, accessToken, fetch }).whoami()).user_id;
}
