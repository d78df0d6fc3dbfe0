import { shortened } from "../ui/format-text.js";
import type { LoginElement } from "./login-element.js";

/**
 * Servers accept 100 code points in a device's name. The last one is for an ellipsis. Some servers
 * might count UTF-16 code units, as this code does.
 */
const MAX_NAME_LENGTH = 99;

const BROWSERS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [token: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The app's name: the one that the page sets, or one from the page's title that servers accept. */
export const applicationName = ({
  clientName,
}: Pick<LoginElement, "clientName">): string | undefined =>
  clientName || shortened(document.title, MAX_NAME_LENGTH) || undefined;

/**
 * The device's name: the one that the page sets, or the app and the browser, as providers name
 * devices.
 */
export function deviceNameOf(
  host: Pick<LoginElement, "clientName"> & { readonly deviceName: string | undefined },
): string {
  if (host.deviceName) return host.deviceName;
  const { userAgent } = navigator;
  const names = [BROWSERS, SYSTEMS].flatMap(
    (each) => each.find(([token]) => token.test(userAgent))?.[1] ?? [],
  );
  const browser = names.join(" on ");
  const room = MAX_NAME_LENGTH - `: ${browser}`.length;
  const application = shortened(applicationName(host) ?? location.host, room);
  return [application, browser].filter(Boolean).join(": ");
}
