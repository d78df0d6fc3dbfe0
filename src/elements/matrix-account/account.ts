import type { AccountClient } from "../../context/auth-client.js";
import { isTransientStatus } from "../../core/http/failures.js";
import { isJsonObject, type JsonObject, presentMembers } from "../../core/http/json.js";
import type { MatrixSession } from "../../core/index.js";
import { readBaseUrl } from "../../core/http/url.js";
import { readWhoami } from "../../core/matrix/whoami.js";
import { sessionEnded } from "../../core/session/events.js";
import { settingsInvalid } from "../../core/oauth/errors.js";
import { accountManagementUrl } from "../../core/oauth/metadata.js";
import { readFailure } from "../../core/uia/failure.js";
import { loadSession } from "../../sign-in/session-attributes.js";
import { lazyPart } from "../../ui/loading.js";

/** The library's own client has already loaded this module. */
const loadAuthMetadata = /* @__PURE__ */ lazyPart(
  () => import("../../core/matrix/auth-metadata.js"),
);

/** Who manages an account: the homeserver itself, or an OAuth 2.0 provider. */
export type AccountManagement = "homeserver" | "provider";

/** The client and the session that the page has set. At least one of them is present. */
interface Identity {
  readonly client: object | undefined;
  readonly session: MatrixSession | undefined;
}

/** The user and the device of an access token, as far as they are known. */
interface KnownOwner {
  readonly userId: string | undefined;
  /** Undefined also if the access token has no device. */
  readonly deviceId: string | undefined;
}

interface Owner extends KnownOwner {
  readonly userId: string;
}

/**
 * An account, and the parts of it that the user can manage. It doesn't change: operations use its
 * client and its session, whatever the page sets in the meantime.
 */
export interface ShownAccount extends Owner {
  readonly client: AccountClient;
  readonly session: MatrixSession | undefined;
  readonly management: AccountManagement;
  /** A capability of the homeserver; undefined if the homeserver doesn't name it. */
  capability(name: string): unknown;
  /** Whether the homeserver reports a capability as disabled. */
  forbids(capability: string): boolean;
  /**
   * The provider's page for an action, otherwise its start page. Undefined if there is no safe URL.
   */
  pageFor(action: string, deviceId?: string): string | undefined;
}

type ProviderMetadata = Awaited<ReturnType<AccountClient["getAuthMetadata"]>>;

/** Every device has a link, so its URL must be short. */
const MAX_URL_LENGTH = 4096;

/** The methods that every client must have. */
const METHODS: readonly (keyof AccountClient)[] = [
  "whoami",
  "getCapabilities",
  "getAuthMetadata",
  "getDevices",
  "deleteMultipleDevices",
];

/** @throws {OidcFlowError} `settings_invalid`: the context's client is for other elements only. */
function assertAccountClient(client: object): asserts client is AccountClient {
  const missing = METHODS.find(
    (name) => typeof Reflect.get(Object(client) as object, name) !== "function",
  );
  if (missing) throw settingsInvalid(`The client has no ${missing}()`);
}

/**
 * Looks up the account. If the client and the session are not for the same device of the same user,
 * it sends nothing, or only requests the owners of the tokens.
 *
 * @param onClient Called before the account is known, to send other requests at the same time.
 * @throws {OidcFlowError} `settings_invalid`, `SessionEnded`, `LoadFailed`.
 * @throws the client's errors.
 */
export async function findAccount(
  { client: given, session }: Identity,
  signal: AbortSignal,
  onClient?: (client: AccountClient) => void,
): Promise<ShownAccount> {
  if (session && typeof (session as Partial<MatrixSession>).addEventListener !== "function")
    throw settingsInvalid("The session has no addEventListener()");
  const client = given ?? (await clientOf(session));
  signal.throwIfAborted();
  assertAccountClient(client);
  const owner = given && session ? await findCommonOwner(client, session) : findOwner(client);
  signal.throwIfAborted();
  onClient?.(client);
  const [{ userId, deviceId }, capabilities, provider] = await Promise.all([
    owner,
    findCapabilities(client, signal),
    findProvider(client, signal),
  ]);
  return {
    client,
    session,
    userId,
    deviceId,
    management: provider ? "provider" : "homeserver",
    capability: (name) => presentMembers(capabilities)[name],
    forbids: (name) => presentMembers(capabilities[name])["enabled"] === false,
    pageFor: (action, device) => {
      if (!provider) return undefined;
      const page = accountManagementUrl(provider, action, { deviceId: device });
      const url = page ?? accountManagementUrl(provider);
      return url && url.length <= MAX_URL_LENGTH ? url : undefined;
    },
  };
}

async function clientOf(session: MatrixSession | undefined): Promise<AccountClient> {
  if (session?.state !== "signed-in") throw sessionEnded();
  const { HomeserverClient } = await loadSession();
  return new HomeserverClient({ baseUrl: session.homeserverUrl, session });
}

/** The owner of a client and a session. @throws {OidcFlowError} `settings_invalid` */
async function findCommonOwner(client: AccountClient, session: MatrixSession): Promise<Owner> {
  const isSame = (one?: string | null, other?: string | null): boolean =>
    !one || !other || one === other;
  const { baseUrl } = client;
  const isSameServer = isSame(readBaseUrl(baseUrl) ?? baseUrl, session.homeserverUrl);
  const agree = (owner: KnownOwner, other: KnownOwner): boolean =>
    isSame(owner.userId, other.userId) && isSame(owner.deviceId, other.deviceId);
  if (isSameServer && agree(knownOwner(client), session.user)) {
    const owner = await findOwner(client);
    const other = session.user.userId ? session.user : await findOwner(await clientOf(session));
    if (agree(owner, other)) return owner;
  }
  throw settingsInvalid("client and session are not for the same user and device");
}

const knownOwner = (client: AccountClient): KnownOwner => ({
  userId: client.userId ?? client.getUserId?.() ?? undefined,
  deviceId: client.deviceId ?? undefined,
});

/**
 * Asserts that the account's client has not changed its user since then, as a page's own client might.
 *
 * @throws {OidcFlowError} `settings_invalid`
 */
export function assertOwner({ client, userId }: ShownAccount): void {
  const { userId: current = userId } = knownOwner(client);
  if (current !== userId) throw settingsInvalid("The client has changed its user");
}

async function findOwner(client: AccountClient): Promise<Owner> {
  const { userId, deviceId } = knownOwner(client);
  if (userId && deviceId) return { userId, deviceId };
  const { user_id, device_id } = readWhoami({ ...(await client.whoami()) });
  return { userId: user_id, deviceId: device_id };
}

/**
 * Resolves to no capabilities if there is no usable response: the homeserver still rejects requests
 * that it does not allow.
 */
async function findCapabilities(client: AccountClient, signal: AbortSignal): Promise<JsonObject> {
  const capabilities = await client.getCapabilities({ signal }).catch((error: unknown) => {
    const { status, errcode } = readFailure(error);
    const isUnreachable =
      status === undefined ? errcode !== "response_not_json" : isTransientStatus(status);
    if (isUnreachable || status === 401) throw error;
    return undefined;
  });
  return presentMembers(capabilities);
}

/** The provider's metadata; undefined only if the homeserver reports that it has no provider. */
async function findProvider(
  client: AccountClient,
  signal: AbortSignal,
): Promise<ProviderMetadata | undefined> {
  try {
    const metadata = await client.getAuthMetadata({ signal, strict: true, signingKeys: false });
    // Clients of other libraries return the homeserver's copy. A page's own client might have only
    // the links.
    const isNamed = isJsonObject(metadata) && "issuer" in metadata;
    if (!isNamed) return metadata;
    const { confirmMetadata } = await loadAuthMetadata();
    return await confirmMetadata(metadata, client.baseUrl ?? "", { signal });
  } catch (error) {
    const { errcode } = readFailure(error);
    if (errcode === "oidc_not_supported" || errcode === "M_UNRECOGNIZED") return undefined;
    // There is a provider, but its metadata is invalid, so its pages cannot be trusted.
    if (
      error instanceof Error &&
      error.message === "Configured OIDC OP does not support required functions"
    )
      return {};
    throw error;
  }
}
