/** What a provider tells a Synapse that delegates to it. */
export interface Provisioning {
  user(localpart: string, displayName: string): Promise<void>;
  device(localpart: string, deviceId: string, name: string | undefined): Promise<void>;
  deleteDevice(localpart: string, deviceId: string): Promise<void>;
  deleteUser(localpart: string): Promise<void>;
  /** Lets a user replace their cross-signing keys, for the next ten minutes. */
  allowCrossSigningReset(localpart: string): Promise<void>;
}

/** @param secret Synapse's `matrix_authentication_service.secret`. */
export function provisioningOf(baseUrl: string, secret: string): Provisioning {
  const tell = async (what: string, body: object): Promise<void> => {
    const response = await fetch(`${baseUrl}/_synapse/mas/${what}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
  };
  return {
    user: (localpart, set_displayname) => tell("provision_user", { localpart, set_displayname }),
    device: (localpart, device_id, display_name) =>
      tell("upsert_device", { localpart, device_id, display_name }),
    deleteDevice: (localpart, device_id) => tell("delete_device", { localpart, device_id }),
    deleteUser: (localpart) => tell("delete_user", { localpart, erase: false }),
    allowCrossSigningReset: (localpart) => tell("allow_cross_signing_reset", { localpart }),
  };
}
