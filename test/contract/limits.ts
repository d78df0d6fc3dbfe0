import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import {
  DUMMY,
  apiClient,
  freshName,
  passwordLogin,
  createSignedInUser,
  within,
  type ApiResponse,
} from "./api-client.js";
import type { Kind } from "./homeserver.js";

/** The maximum number of wrong attempts before the test fails. */
const MANY = 8;

export function limitsContract(kind: Kind): void {
  within(kind, "with limits", (server, it) => {
    const untilLimited = async (attempt: () => Promise<ApiResponse>): Promise<number> => {
      for (let count = 0; count < MANY; count += 1) {
        const { status, body, headers } = await attempt();
        if (status !== 429) continue;
        assert.equal(body.errcode, "M_LIMIT_EXCEEDED");
        assert.equal(body.flows, undefined);
        const ms = Number(body["retry_after_ms"]);
        assert.ok(ms > 0);
        assert.equal(headers.get("Retry-After"), String(Math.ceil(ms / 1000)));
        return ms;
      }
      throw new Error("There is no limit");
    };

    it("accepts the correct password after the required wait for too many wrong ones", async () => {
      const me = await createSignedInUser(server());
      const give = (password: string) =>
        apiClient(server())("POST", "v3/login", passwordLogin({ ...me, password }));
      await delay(await untilLimited(() => give("wrong")));
      assert.equal((await give(me.password)).status, 200);
    });

    it("limits the emails to an address, and reports the time to wait", async () => {
      const email = `${freshName()}@hs.example`;
      let send_attempt = 0;
      await untilLimited(() =>
        apiClient(server())("POST", "v3/register/email/requestToken", {
          client_secret: "secret",
          email,
          send_attempt: (send_attempt += 1),
        }),
      );
    });

    it("limits new accounts before any stage, and reports the time to wait", async () => {
      await untilLimited(() =>
        apiClient(server())("POST", "v3/register", {
          username: freshName(),
          password: "a-long-password",
          auth: { type: DUMMY },
        }),
      );
    });
  });
}
