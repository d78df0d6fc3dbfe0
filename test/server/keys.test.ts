import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { HomeserverClient } from "matrix-auth-elements/core";
import {
  passwordAuth,
  signIn,
  startDemoHomeserver,
  type HomeserverUnderTest,
} from "./homeserver.js";

describe("Cross-signing keys, made by the library", () => {
  let server: HomeserverUnderTest;
  let client: HomeserverClient;

  beforeEach(async () => {
    server = await startDemoHomeserver();
    const [alice] = server.people;
    const response = await fetch(`${server.baseUrl}/_matrix/client/v3/login`, {
      method: "POST",
      body: JSON.stringify({
        type: "m.login.password",
        identifier: { type: "m.id.user", user: alice.user },
        password: alice.password,
      }),
    });
    const { access_token: accessToken, user_id: userId } = (await response.json()) as Record<
      string,
      string
    >;
    client = new HomeserverClient({ baseUrl: server.baseUrl, accessToken, userId });
  });
  afterEach(() => server.close());

  const reset = (asked: unknown[] = []) =>
    client.bootstrapCrossSigning({
      authUploadDeviceSigningKeys: async (makeRequest) => {
        asked.push("once");
        try {
          await makeRequest(null);
        } catch (error) {
          const { data } = error as { data: { session: string } };
          asked.push("again");
          await makeRequest(passwordAuth(data.session, server.people[0]));
        }
      },
    });

  it("are well signed: a homeserver that verifies them takes them", async () => {
    const { keys } = await reset();
    assert.deepEqual(keys.master_key.usage, ["master"]);
  });

  it("need no proof the first time, and a proof to be replaced", async () => {
    const asked: unknown[] = [];
    const first = await reset(asked);
    assert.deepEqual(asked, ["once"]);
    const second = await reset(asked);
    assert.deepEqual(asked, ["once", "once", "again"]);
    assert.notEqual(first.masterKey, second.masterKey);
  });

  it("need no proof where they are the same", async () => {
    const { keys } = await reset();
    await client.uploadDeviceSigningKeys(null, keys);
  });

  it("are refused where they are not signed by the master", async () => {
    const { keys } = await reset();
    const ask = await signIn(server, server.people[1]);
    const { status, body } = await ask("POST", "v3/keys/device_signing/upload", {
      ...JSON.parse(JSON.stringify(keys).replaceAll("@alice:", "@bob:")),
      self_signing_key: {
        ...keys.self_signing_key,
        user_id: `@bob:${server.serverName}`,
        signatures: {},
      },
    });
    assert.deepEqual([status, body.errcode], [400, "M_INVALID_SIGNATURE"]);
  });
});
