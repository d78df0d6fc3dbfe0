import { expect } from "@open-wc/testing";
import { completeAuthorizationCodeGrant, HomeserverClient } from "matrix-auth-elements/core";
import { HOMESERVER, logIn } from "./login.ts";
import { ScriptedFetch, json } from "../support/scripted-fetch.ts";
import { ScriptedProvider } from "../support/scripted-provider.ts";
import { restoreStubs, stub } from "../support/stub.ts";

/** What Prototype (prototypejs.org) does to arrays, and MooTools in a similar way. */
function extendArrays(): void {
  const { stringify } = JSON;
  stub(Array.prototype, "toJSON", {
    value(this: readonly unknown[]) {
      return `[${[...this].map((each) => stringify(each)).join()}]`;
    },
  });
  stub(Array, "from", { value: (items: ArrayLike<unknown>) => Array.prototype.slice.call(items) });
}

describe("on a page whose script library changes all arrays", () => {
  afterEach(restoreStubs);

  it("sends a list as a list", async () => {
    const route = `POST ${HOMESERVER}/_matrix/client/v3/delete_devices`;
    const server = new ScriptedFetch({ [route]: json({}) });
    const client = new HomeserverClient({ baseUrl: HOMESERVER, fetch: server.fetch });
    extendArrays();
    await client.deleteMultipleDevices(["A", "B"]);
    restoreStubs();
    expect(JSON.parse(server.requests[0]?.body ?? "")).to.deep.equal({ devices: ["A", "B"] });
  });

  it("signs in with the flow that it has stored", async () => {
    const provider = await ScriptedProvider.create();
    extendArrays();
    const response = await logIn(provider);
    restoreStubs();
    const { tokenResponse } = await completeAuthorizationCodeGrant(response.code, response.state, {
      fetch: provider.server.fetch,
    });
    expect(tokenResponse.access_token).to.equal(provider.accessToken);
  });
});
