// The core in Node, only with Node's types: without the DOM's.
import { generateScope, HomeserverClient, MatrixError } from "matrix-auth-elements/core";

const client = new HomeserverClient({ baseUrl: "https://hs.example", accessToken: "token" });

export async function whoami(): Promise<string> {
  try {
    return `${(await client.whoami()).user_id} ${generateScope()}`;
  } catch (error) {
    return error instanceof MatrixError ? (error.errcode ?? "") : "";
  }
}
