import { randomUUID } from "node:crypto";
import { serveJson, type Loopback } from "./loopback.js";

export interface PhoneService extends Loopback {
  /** The code of the last text message. */
  lastCode(): string;
}

/**
 * Stands in for Synapse's service for text messages: `account_threepid_delegates.msisdn`.
 *
 * @see https://spec.matrix.org/v1.19/identity-service-api/#phone-numbers-association
 */
export async function startPhoneService(): Promise<PhoneService> {
  interface Sent {
    readonly secret: unknown;
    readonly address: string;
    readonly code: string;
    validatedAt?: number;
  }
  const sent = new Map<string, Sent>();
  const find = (sid: unknown, secret: unknown): Sent | undefined => {
    const found = sent.get(String(sid));
    return found?.secret === secret ? found : undefined;
  };
  const loopback = await serveJson(({ path, fields, query }) => {
    switch (path) {
      case "/_matrix/identity/api/v1/validate/msisdn/requestToken": {
        const sid = randomUUID();
        // All numbers here are of one country, so only its code is replaced.
        const national = String(fields["phone_number"]).replace(/\D/g, "").replace(/^0/, "");
        const code = String(Math.floor(1e5 + Math.random() * 9e5));
        sent.set(sid, { secret: fields["client_secret"], address: `44${national}`, code });
        return { sid };
      }
      case "/_matrix/identity/api/v1/validate/msisdn/submitToken": {
        const found = find(fields["sid"], fields["client_secret"]);
        const success = found?.code === fields["token"];
        if (found && success) found.validatedAt = Date.now();
        return { success };
      }
      case "/_matrix/identity/api/v1/3pid/getValidated3pid": {
        const found = find(query["sid"], query["client_secret"]);
        if (!found?.validatedAt) return { errcode: "M_SESSION_NOT_VALIDATED" };
        return { medium: "msisdn", address: found.address, validated_at: found.validatedAt };
      }
      default:
        return undefined;
    }
  });
  return { ...loopback, lastCode: () => [...sent.values()].at(-1)?.code ?? "" };
}
