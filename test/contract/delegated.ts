import assert from "node:assert/strict";
import { it } from "node:test";

const GONE = "404 M_UNRECOGNIZED" as const;

/** The responses to requests without a token, from a homeserver whose accounts a provider manages. */
const ANSWERS = [
  ["GET", "v3/login", GONE],
  ["POST", "v3/login", GONE],
  ["POST", "v3/logout", GONE],
  ["POST", "v3/register", "403 M_FORBIDDEN"],
  ["DELETE", "v3/devices/PHONEDEVICE", "401 M_MISSING_TOKEN"],
  ["POST", "v3/delete_devices", GONE],
  ["POST", "v3/account/password", GONE],
  ["POST", "v3/account/deactivate", GONE],
  ["GET", "v3/account/3pid", "401 M_MISSING_TOKEN"],
  ["POST", "v3/account/3pid/add", GONE],
  ["POST", "v1/login/get_token", GONE],
  ["POST", "v3/keys/device_signing/upload", "401 M_MISSING_TOKEN"],
] as const;

/**
 * @param baseUrl Returns the URL of a running homeserver.
 * @param request Sends a request to the homeserver.
 */
export function delegatedContract(baseUrl: () => string, request = globalThis.fetch): void {
  for (const [method, path, expected] of ANSWERS) {
    it(`${method} /${path}: ${expected}`, async () => {
      const body = method === "POST" ? { body: "{}" } : {};
      const response = await request(`${baseUrl()}/_matrix/client/${path}`, { method, ...body });
      const { errcode } = (await response.json()) as { errcode?: string };
      assert.equal(`${response.status} ${errcode}`, expected);
    });
  }
}
