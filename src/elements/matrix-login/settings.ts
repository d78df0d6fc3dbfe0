import type { SessionOptions } from "../../core/index.js";
import type { LegacyLoginSettings } from "../../core/legacy/login.js";
import { deviceNameOf } from "../../sign-in/device-name.js";
import { timeoutOf } from "../../sign-in/login-element.js";
import { type Account, ofAccount, readSessionOptions } from "../../sign-in/session-options.js";
import type { MatrixLoginElement } from "./matrix-login.js";

/** A sign-in method. */
export type LoginMethod = "oauth" | "sso" | "password";

/** An action for which the homeserver's form asks for a password. */
export type AccountAction = "registration" | "reset";

/** An action of the user. */
export type LoginAction = LoginMethod | AccountAction;

/** The number of accounts that the page keeps at the same time. */
export type AccountsMode = "one" | "many";

export interface Given {
  readonly device: Pick<LegacyLoginSettings, "deviceId" | "deviceName" | "expectedUserId">;
  readonly session: Parameters<typeof sessionOptions>[0];
  readonly timeoutMs: number;
  /** The user's language, for a phone number without its country. */
  readonly language: string;
}

/**
 * The page's settings for a sign-in. Call it at the start. Later changes apply to the next sign-in.
 */
export function givenBy(host: MatrixLoginElement): Given {
  const { deviceId, userId: expectedUserId, persist, store, sessionKey, accounts } = host;
  return {
    device: { deviceId, expectedUserId, deviceName: deviceNameOf(host) },
    session: { persist, store, sessionKey, accounts },
    timeoutMs: timeoutOf(host),
    language: host.localize.language,
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

/** The homeserver at the start: the page's setting, otherwise the user's last choice. */
export const startingHomeserver = (
  host: MatrixLoginElement,
  chosen: string | undefined,
): string | undefined =>
  isUsersChoice(host) ? chosen || host.homeserver : host.homeserver || chosen;

export const readSuggestions = ({ suggestions }: MatrixLoginElement): readonly string[] =>
  [suggestions].flat().join(" ").split(/\s+/).filter(Boolean);

/** The server name in a user ID or a base URL. */
export const serverNameOf = (homeserver: string): string =>
  homeserver.replace(/^(@[^:]*:|https?:\/\/)/i, "");

export const localpartOf = (homeserver: string): string | undefined =>
  /^@([^:]+):/.exec(homeserver)?.[1];
