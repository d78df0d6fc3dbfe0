import type { HomeserverNotices } from "../../../demo/server/authorization-server/device-sessions.js";

/** @param secret Synapse's `matrix_authentication_service.secret`. */
export function noticesTo(baseUrl: string, secret: string): HomeserverNotices {
  const tell = async (what: string, body: object): Promise<void> => {
    const response = await fetch(`${baseUrl}/_synapse/mas/${what}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
  };
  return {
    async addDevice({ localpart, displayName, deviceId, clientName }) {
      await tell("provision_user", { localpart, set_displayname: displayName });
      await tell("upsert_device", { localpart, device_id: deviceId, display_name: clientName });
    },
    deleteDevice: ({ localpart, deviceId }) =>
      tell("delete_device", { localpart, device_id: deviceId }),
    deactivateUser: (localpart) => tell("delete_user", { localpart, erase: false }),
    allowCrossSigningReset: (localpart) => tell("allow_cross_signing_reset", { localpart }),
  };
}
