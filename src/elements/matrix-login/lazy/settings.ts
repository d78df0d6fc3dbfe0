import type { SessionOptions } from "../../../core/index.js";
import type { LegacyLoginSettings } from "../../../core/legacy/login.js";
import { settingsInvalid } from "../../../core/oauth/errors.js";
import { type Account, ofAccount, readSessionOptions } from "../../../sign-in/lazy/signed-in.js";
import type { MatrixLoginElement } from "../matrix-login.js";

/** The element's state; also a `:state()` of it. */
export type MatrixLoginState =
  | "idle"
  | "checking"
  | "ready"
  | "submitting"
  | "redirecting"
  | "waiting"
  | "completing"
  | "authenticating"
  | "success"
  | "error";

/** A way to sign in. */
export type LoginMethod = "oauth" | "sso" | "password";

/** An action for which the homeserver's form asks for a password. */
export type AccountAction = "registration" | "reset";

/** An action of the user. */
export type LoginAction = LoginMethod | AccountAction;

/** The number of accounts that the page keeps at the same time. */
export type AccountsMode = "one" | "many";

export const METHODS: readonly LoginMethod[] = ["oauth", "sso", "password"];

/** Undefined for all methods. @throws {OidcFlowError} `Misconfigured` (`settings_invalid`). */
export function readMethods({ methods }: MatrixLoginElement): readonly LoginMethod[] | undefined {
  const names = (methods ?? "").split(/\s+/).filter(Boolean);
  if (names.length === 0) return undefined;
  return names.map((name) => {
    const method = METHODS.find((each) => each === name);
    if (!method) throw settingsInvalid(`methods contains a value other than ${METHODS.join(", ")}`);
    return method;
  });
}

export interface Given {
  readonly device: Pick<LegacyLoginSettings, "deviceId" | "deviceName" | "expectedUserId">;
  readonly session: Parameters<typeof sessionOptions>[0];
}

/** What the page has set for a sign-in. Call it at the start: later changes are for the next one. */
export function givenBy(host: MatrixLoginElement): Given {
  const { deviceId, userId: expectedUserId, persist, store, sessionKey, accounts } = host;
  return {
    device: { deviceId, expectedUserId, deviceName: deviceNameOf(host) },
    session: { persist, store, sessionKey, accounts },
  };
}

export function sessionOptions(
  settings: Parameters<typeof readSessionOptions>[0] & { readonly accounts?: string | undefined },
  account?: Account,
): SessionOptions {
  return ofAccount(readSessionOptions(settings) ?? { store: "memory" }, settings.accounts, account);
}

export const isUsersChoice = ({ homeserverLocked, children }: MatrixLoginElement): boolean =>
  !homeserverLocked && ![...children].some(({ slot }) => slot === "homeserver");

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

/** The page's name for the device, or one like those of providers: the app and the browser. */
export function deviceNameOf({ deviceName, clientName }: MatrixLoginElement): string {
  if (deviceName) return deviceName;
  const { userAgent } = navigator;
  const names = [BROWSERS, SYSTEMS].flatMap(
    (each) => each.find(([token]) => token.test(userAgent))?.[1] ?? [],
  );
  const application = clientName || document.title || location.host;
  return [application, names.join(" on ")].filter(Boolean).join(": ");
}

export const readSuggestions = ({ suggestions }: MatrixLoginElement): readonly string[] =>
  (typeof suggestions === "string" ? suggestions.split(/\s+/) : (suggestions ?? [])).filter(
    Boolean,
  );

/** The server name in a user ID or a base URL. */
export const serverNameOf = (homeserver: string): string =>
  homeserver.replace(/^(@[^:]*:|https?:\/\/)/i, "");

export const localpartOf = (homeserver: string | undefined): string | undefined =>
  /^@([^:]+):/.exec(homeserver?.trim() ?? "")?.[1];
