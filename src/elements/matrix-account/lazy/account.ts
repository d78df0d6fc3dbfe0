import type { AccountClient } from "../../../context/auth-client.js";
import { presentMembers } from "../../../core/http/json.js";
import type { MatrixSession } from "../../../core/index.js";
import { readWhoami } from "../../../core/matrix/whoami.js";
import { OidcError, settingsInvalid } from "../../../core/oauth/errors.js";
import { confirmIssuer, isConfirmed } from "../../../core/oauth/issuer-confirmation.js";
import { accountManagementUrl, validateAuthMetadata } from "../../../core/oauth/metadata.js";
import { readFailure } from "../../../core/uia/failure.js";
import type { AuthHost } from "../../../ui/element.js";

/** A section of the element. */
export type AccountSectionName = "devices" | "password" | "contacts" | "deactivation";

/** Who manages an account: the homeserver itself, or an OAuth 2.0 provider. */
export type AccountManagement = "homeserver" | "provider";

/** The element's state; also a `:state()` of it. */
export type MatrixAccountState = "idle" | "loading" | "ready" | "busy" | "error";

export type AccountHost = AuthHost & {
  readonly client: AccountClient | undefined;
  readonly session: MatrixSession | undefined;
  readonly sections: string | undefined;
};

/** The account of a client, and the parts of it that the user can manage. */
export interface Account {
  readonly client: AccountClient;
  readonly userId: string;
  /** Undefined if the access token has no device. */
  readonly deviceId: string | undefined;
  readonly management: AccountManagement;
  /** The sections that the homeserver forbids. */
  readonly forbidden: readonly AccountSectionName[];
  /** The provider's page for an action, else its start page; undefined without a safe URL. */
  pageFor(action: string, deviceId?: string): string | undefined;
}

const SECTIONS: readonly AccountSectionName[] = ["devices", "password", "contacts", "deactivation"];

/** The sections that the page has set, in its order. @throws {OidcFlowError} `settings_invalid` */
export function readSections({ sections }: AccountHost): readonly AccountSectionName[] {
  const names = (sections ?? "").split(/\s+/).filter(Boolean);
  if (names.length === 0) return SECTIONS;
  return names.map((name) => {
    const section = SECTIONS.find((each) => each === name);
    if (!section)
      throw settingsInvalid(`sections contains a value other than ${SECTIONS.join(", ")}`);
    return section;
  });
}

type ProviderMetadata = Awaited<ReturnType<AccountClient["getAuthMetadata"]>>;

const CAPABILITIES = [
  ["password", "m.change_password"],
  ["contacts", "m.3pid_changes"],
] as const;

/** The methods that every client must have. */
const METHODS: readonly (keyof AccountClient)[] = [
  "whoami",
  "getCapabilities",
  "getAuthMetadata",
  "getDevices",
  "deleteMultipleDevices",
];

/** @throws {OidcFlowError} `settings_invalid`: the context's client is for other elements only. */
export function assertAccountClient(client: object): asserts client is AccountClient {
  const missing = METHODS.find((name) => typeof Reflect.get(client, name) !== "function");
  if (missing) throw settingsInvalid(`The client has no ${missing}()`);
}

/** @throws the client's errors. */
export async function findAccount(client: AccountClient, signal: AbortSignal): Promise<Account> {
  const [owner, forbidden, provider] = await Promise.all([
    findOwner(client),
    findForbidden(client, signal),
    findProvider(client, signal),
  ]);
  return {
    client,
    ...owner,
    management: provider ? "provider" : "homeserver",
    // With a provider, the capabilities apply only to the homeserver itself.
    forbidden: provider ? [] : forbidden,
    pageFor: (action, deviceId) =>
      provider &&
      (accountManagementUrl(provider, action, { deviceId }) ?? accountManagementUrl(provider)),
  };
}

async function findOwner(client: AccountClient): Promise<Pick<Account, "userId" | "deviceId">> {
  const userId = client.userId ?? client.getUserId?.();
  const { deviceId } = client;
  if (userId && deviceId) return { userId, deviceId };
  const { user_id, device_id } = readWhoami({ ...(await client.whoami()) });
  return { userId: user_id, deviceId: device_id };
}

/** None without a usable response: the homeserver still rejects requests that it does not allow. */
async function findForbidden(
  client: AccountClient,
  signal: AbortSignal,
): Promise<readonly AccountSectionName[]> {
  const capabilities = await client.getCapabilities({ signal }).catch((error: unknown) => {
    const { status, errcode } = readFailure(error);
    const isUnreachable =
      status === undefined ? errcode !== "response_not_json" : status === 429 || status >= 500;
    if (isUnreachable || status === 401) throw error;
    return undefined;
  });
  const given = presentMembers(capabilities);
  return CAPABILITIES.flatMap(([name, capability]) =>
    presentMembers(given[capability])["enabled"] === false ? name : [],
  );
}

/** The provider's metadata; undefined only if the homeserver reports that it has no provider. */
async function findProvider(
  client: AccountClient,
  signal: AbortSignal,
): Promise<ProviderMetadata | undefined> {
  try {
    const metadata = await client.getAuthMetadata({ signal, strict: true, signingKeys: false });
    // Clients of other libraries return what the homeserver says; a page's own has only the links.
    const isTrusted = isConfirmed(metadata) || !("issuer" in metadata);
    return isTrusted ? metadata : await confirmIssuer(validateAuthMetadata(metadata), { signal });
  } catch (error) {
    const { errcode } = readFailure(error);
    if (errcode === "oidc_not_supported" || errcode === "M_UNRECOGNIZED") return undefined;
    // There is a provider, but its metadata has faults, so its pages cannot be trusted.
    if (error instanceof Error && error.message === OidcError.OpSupport) return {};
    throw error;
  }
}
