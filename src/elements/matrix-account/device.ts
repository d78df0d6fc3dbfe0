import type { AccountClient } from "../../context/auth-client.js";
import { isText, presentMembers } from "../../core/http/json.js";
import { asShowable } from "../../core/shared/identifiers.js";
import type { LocalizeController } from "../../ui/localize.js";
import { languagesOf, MAX_NAME_LENGTH, shortened, shownName } from "../../ui/format-text.js";

/** One of the account's devices, as the homeserver lists it. */
export type AccountDevice = Awaited<ReturnType<AccountClient["getDevices"]>>["devices"][number];

const MAX_NAMES = 5;

/** Matrix did not exist before this time, so an earlier time comes from a wrong clock. */
const EARLIEST_MS = Date.UTC(2014, 8);

const MINUTE_MS = 60_000;
/**
 * A device counts as active for this long after its last use, because homeservers update the time
 * only every few minutes.
 */
const ACTIVE_MS = 5 * MINUTE_MS;
/** A device that was not used for this many days counts as unused. */
export const UNUSED_DAYS = 90;

const UNITS = [
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
  ["month", 365 / 30],
  ["year", Infinity],
] as const;

/** Whether it is a device. Other invalid members must not hide a device. */
export const isDevice = (each: unknown): each is AccountDevice =>
  isText(presentMembers(each)["device_id"]);

/** Removes the members whose type differs from the specification. */
export function cleaned(device: AccountDevice): AccountDevice {
  const { display_name, last_seen_ip, last_seen_ts, device_id } = device;
  return {
    device_id,
    ...(isText(display_name) && { display_name }),
    ...(isText(last_seen_ip) && { last_seen_ip }),
    ...(typeof last_seen_ts === "number" && { last_seen_ts }),
  };
}

export const nameOf = ({ display_name }: AccountDevice): string | undefined =>
  shownName(display_name);

/** The device's ID, as shown text. */
export const idOf = ({ device_id }: AccountDevice): string =>
  shortened(asShowable(device_id), MAX_NAME_LENGTH);

/** What a search compares. It is kept, because there can be thousands of devices. */
interface Searched {
  readonly text: string;
  readonly isUnnamed: boolean;
}

const searched = new WeakMap<AccountDevice, Searched>();

function searchedIn(device: AccountDevice): Searched {
  const name = nameOf(device);
  const { device_id, last_seen_ip } = device;
  const text = [name ?? "", device_id, last_seen_ip ?? ""].map(searchable).join("\n");
  const known = { text, isUnnamed: name === undefined };
  searched.set(device, known);
  return known;
}

/** More than a device's ID has. Engines take quadratic time to normalize long sequences of marks. */
const MAX_SEARCHED_LENGTH = 255;

/** The form of a text for comparisons: without case, accents, and invisible characters. */
export const searchable = (text: string): string =>
  text
    .slice(0, MAX_SEARCHED_LENGTH)
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLowerCase()
    .trim();

/**
 * Whether a device's name, ID, or IP address contains a text.
 *
 * @param sought The text to find. This and `unnamed` are results of `searchable()`.
 * @param unnamed The text that is shown for devices without a name.
 */
export function isFoundBy(device: AccountDevice, sought: string, unnamed: string): boolean {
  const { text, isUnnamed } = searched.get(device) ?? searchedIn(device);
  return text.includes(sought) || (isUnnamed && unnamed.includes(sought));
}

/** Undefined if the homeserver does not report a valid time. A time in the future counts as now. */
export function lastActiveMs({ last_seen_ts: ms }: AccountDevice): number | undefined {
  return typeof ms === "number" && ms >= EARLIEST_MS ? Math.min(ms, Date.now()) : undefined;
}

export const isActive = (ms: number): boolean => Date.now() - ms < ACTIVE_MS;

/** Whether the device was not used for a long time, according to the homeserver. */
export const isUnused = (device: AccountDevice): boolean =>
  Date.now() - (lastActiveMs(device) ?? 0) > UNUSED_DAYS * 1440 * MINUTE_MS;

const KINDS = [
  ["desktop", /desktop|electron/i],
  ["browser", /chrom|firefox|safari|\bedge?\b|opera|brave|vivaldi|browser|\bweb\b|https?:/i],
  ["phone", /android|iphone|ipad|\bios\b|mobile|phone|tablet|pixel|galaxy/i],
  ["desktop", /windows|mac|linux|ubuntu|laptop|\bpc\b|nheko|fractal/i],
] as const;

export type DeviceKind = (typeof KINDS)[number][0] | "unknown";

/** The kind of device, according to its name. */
export function kindOf(device: AccountDevice): DeviceKind {
  const name = nameOf(device) ?? "";
  return KINDS.find(([, pattern]) => pattern.test(name))?.[0] ?? "unknown";
}

/**
 * Sorts this device first, and the others by their last activity. Devices that are already shown keep their order
 * below new ones, so that no row moves away from the user.
 */
export const inOrder = (
  devices: readonly AccountDevice[],
  ownId: string | undefined,
  shown: readonly AccountDevice[],
): readonly AccountDevice[] => {
  const places = new Map(shown.map(({ device_id }, index) => [device_id, -index]));
  const rank = (device: AccountDevice): number =>
    device.device_id === ownId
      ? Infinity
      : (places.get(device.device_id) ?? lastActiveMs(device) ?? 0);
  return [...devices].sort((a, b) => rank(b) - rank(a));
};

/** Creating a format is slow, and each entry of a list needs one. */
const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function formatFor<Format>(
  formats: Map<string, Format>,
  localize: LocalizeController,
  create: (languages: string[]) => Format,
): Format {
  const languages = languagesOf(localize, "lastActive");
  const key = languages.join();
  const format = formats.get(key) ?? create(languages);
  formats.set(key, format);
  return format;
}

/** A time in the past, such as "1 day ago", which is not always yesterday. */
export function relativeTime(localize: LocalizeController, ms: number): string {
  const format = formatFor(
    relativeFormats,
    localize,
    (languages) => new Intl.RelativeTimeFormat(languages),
  );
  let ago = (Date.now() - ms) / MINUTE_MS;
  for (const [unit, size] of UNITS) {
    if (ago < size) return format.format(-Math.floor(ago), unit);
    ago /= size;
  }
  return "";
}

/** The date and time, such as "Mar 4, 2026, 10:15 AM". */
export const exactTime = (localize: LocalizeController, ms: number): string =>
  formatFor(
    dateFormats,
    localize,
    (languages) => new Intl.DateTimeFormat(languages, { dateStyle: "medium", timeStyle: "short" }),
  ).format(ms);

/**
 * The names of some devices, and the total number if not all are named.
 *
 * @param unnamed The name for devices without a name. Their ID follows.
 * @param hasIds Whether all IDs follow.
 */
export function deviceNames(
  localize: LocalizeController,
  devices: readonly AccountDevice[],
  unnamed: string,
  hasIds: boolean,
): string {
  const languages = languagesOf(localize, "devicesSignedOut");
  const nameIn = (device: AccountDevice): string => {
    const name = nameOf(device);
    return name && !hasIds ? name : `${name ?? unnamed} (${idOf(device)})`;
  };
  const named = devices.slice(0, MAX_NAMES).map((device) => `\u2068${nameIn(device)}\u2069`);
  const isAll = devices.length === named.length;
  const shown = isAll ? named : [...named, "…"];
  const list = new Intl.ListFormat(languages, { type: "unit" }).format(shown);
  return isAll ? list : `${list} (${devices.length.toLocaleString(languages)})`;
}
