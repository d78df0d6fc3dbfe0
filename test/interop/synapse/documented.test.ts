// The Synapse configurations of docs/guides/configure-your-homeserver.md, with other hosts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { HomeserverClient, type MatrixError } from "matrix-auth-elements/core";
import { ensureSynapse } from "../../../scripts/synapse.mjs";
import { isForeign, startSynapse } from "./synapse.js";
import { SUITE } from "../../support/wait-for.mjs";

const options = {
  ...SUITE,
  skip: isForeign && "SYNAPSE_URL names a Synapse with its own settings",
};

/** Synapse's own parser reads the configuration. */
async function documented(name: string): Promise<Record<string, unknown>> {
  const guide = await readFile("docs/guides/configure-your-homeserver.md", "utf8");
  const [, input] =
    new RegExp(`<!-- run: ${name} -->\n\n\`\`\`yaml\n([^]*?)\`\`\``).exec(guide) ?? [];
  assert.ok(input, name);
  const script = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
  const json = execFileSync(await ensureSynapse(), ["-c", script], { input, encoding: "utf8" });
  const { server_name, public_baseurl, ...settings } = JSON.parse(json) as Record<string, unknown>;
  assert.equal(server_name, "example.org");
  assert.equal(public_baseurl, "https://matrix.example.org/");
  return settings;
}

const ORIGIN = { Origin: "https://client.example" };

describe("docs/guides/configure-your-homeserver.md", options, () => {
  it("configures a Synapse that accepts passwords, refreshes tokens, requires a registration token, and allows other origins", async () => {
    const synapse = await startSynapse({ settings: await documented("synapse") });
    try {
      const client = new HomeserverClient({ baseUrl: synapse.baseUrl });
      assert.ok((await client.getLoginFlows()).password);
      await synapse.createAccount({ user: "alice", password: "a password of hers" });
      const login = await client.login({
        type: "m.login.password",
        identifier: { type: "m.id.user", user: "alice" },
        password: "a password of hers",
      });
      assert.ok(login.refresh_token);
      assert.ok(Number(login.expires_in_ms) <= 300_000);
      await assert.rejects(client.register({ username: "bob", password: "another" }), (error) => {
        const { flows } = (error as MatrixError).data as { flows: { stages: string[] }[] };
        for (const { stages } of flows) assert.equal(stages[0], "m.login.registration_token");
        return flows.length > 0;
      });
      for (const path of ["/.well-known/matrix/client", "/_matrix/client/v3/login"]) {
        const response = await fetch(synapse.baseUrl + path, { headers: ORIGIN });
        assert.equal(response.status, 200, path);
        assert.equal(response.headers.get("Access-Control-Allow-Origin"), "*", path);
      }
    } finally {
      await synapse.close();
    }
  });

  it("configures a Synapse that delegates sign-ins to its provider", async () => {
    const synapse = await startSynapse({ settings: await documented("delegated") });
    try {
      const client = new HomeserverClient({ baseUrl: synapse.baseUrl });
      assert.deepEqual((await client.getLoginFlows()).types, []);
      // The provider at `endpoint` is not running. That is an error: the homeserver does support OAuth 2.0.
      await assert.rejects(client.getAuthMetadata(), { code: "server_error" });
    } finally {
      await synapse.close();
    }
  });
});
