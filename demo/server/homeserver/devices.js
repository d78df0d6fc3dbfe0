// @ts-check

/**
 * @typedef {object} Device
 * @property {string} device_id
 * @property {string} user_id
 * @property {string | null} display_name
 * @property {number | null} last_seen_ts milliseconds since the epoch; null before its first request
 * @property {string | null} last_seen_ip
 */

/**
 * @typedef {object} Devices
 * @property {(userId: string) => Device[]} list
 * @property {(userId: string, deviceId: string) => Device | undefined} find
 * @property {(device: { userId: string, deviceId: string, displayName: string | null }) => Device} add
 *   gives the device that is there already, where there is one
 * @property {(seen: { userId: string, deviceId: string, displayName: string | null, ip: string })
 *   => Device} see makes the device when it is new
 * @property {(userId: string, deviceId: string) => boolean} remove
 */

/** @returns {Devices} */
export function createDevices() {
  /** @type {Map<string, Map<string, Device>>} */
  const byUser = new Map();

  /** @type {Devices["add"]} */
  const add = ({ userId, deviceId, displayName }) => {
    const devices = byUser.get(userId) ?? new Map();
    byUser.set(userId, devices);
    const device = devices.get(deviceId) ?? {
      device_id: deviceId,
      user_id: userId,
      display_name: displayName,
      last_seen_ts: null,
      last_seen_ip: null,
    };
    devices.set(deviceId, device);
    return device;
  };

  return {
    add,
    list: (userId) => [...(byUser.get(userId)?.values() ?? [])],
    find: (userId, deviceId) => byUser.get(userId)?.get(deviceId),
    remove: (userId, deviceId) => byUser.get(userId)?.delete(deviceId) ?? false,

    see: ({ ip, ...seen }) =>
      Object.assign(add(seen), { last_seen_ts: Date.now(), last_seen_ip: ip }),
  };
}
