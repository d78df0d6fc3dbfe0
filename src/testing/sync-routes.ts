import type { Environment, Requester } from "./environment.js";
import { type Json, notFound, type Routes } from "./exchange.js";

/** Responses arrive soon, so that a client notices the end of its session. */
const LONGEST_WAIT_MS = 2000;

/** The requests of a client that syncs: it gets the rooms, and nothing new after that. */
export function syncRoutes(environment: Environment): Routes {
  const missing = environment.signedIn(() => {
    throw notFound("Not found");
  });
  return {
    "GET client/v3/sync": environment.signedIn(async (call, requester) => {
      const isFirst = !call.query.has("since");
      const timeoutMs = Math.min(Number(call.query.get("timeout")) || 0, LONGEST_WAIT_MS);
      if (!isFirst && timeoutMs > 0) {
        await waitFor(timeoutMs, call.signal);
        await environment.authenticate(call);
      }
      return {
        next_batch: "1",
        rooms: { join: isFirst ? joinedRooms(environment, requester) : {} },
        device_one_time_keys_count: ONE_TIME_KEYS,
        device_unused_fallback_key_types: Object.keys(ONE_TIME_KEYS),
      };
    }),
    "GET client/v3/pushrules/": environment.signedIn(() => ({ global: {} })),
    "POST client/v3/user/:userId/filter": environment.signedIn(() => ({ filter_id: "0" })),
    "GET client/v3/user/:userId/filter/:id": environment.signedIn(() => ({})),
    "GET client/v3/user/:userId/account_data/:type": missing,
    "GET client/v3/room_keys/version": missing,
    "GET client/v3/voip/turnServer": missing,
  };
}

/** The homeserver never runs out of a device's keys, because no messages are sent. */
export const ONE_TIME_KEYS = { signed_curve25519: 50 };

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** All users of the homeserver are in the rooms of the option `rooms`. */
function joinedRooms(environment: Environment, { user }: Requester): Json {
  const { serverName, options, data } = environment;
  const members = Object.keys(data.accounts).map((each) => environment.userIdOf(each));
  const [creator = environment.userIdOf(user)] = members;
  const rooms = (options.rooms ?? []).map((name, nth) => {
    const id = `!room${nth + 1}:${serverName}`;
    const eventOf = (type: string, content: Json, key = "", sender = creator): Json => ({
      event_id: `$${nth + 1}-${type}-${key}`,
      ...{ type, content, sender, state_key: key, origin_server_ts: 0, unsigned: {} },
    });
    const events = [
      eventOf("m.room.create", { room_version: "11" }),
      ...members.map((each) => eventOf("m.room.member", { membership: "join" }, each, each)),
      eventOf("m.room.join_rules", { join_rule: "public" }),
      eventOf("m.room.name", { name }),
    ];
    const joined = {
      state: { events: [] },
      timeline: { events, limited: false, prev_batch: "0" },
      summary: { "m.joined_member_count": members.length },
    };
    return [id, joined] as const;
  });
  return Object.fromEntries(rooms);
}
