import { type Context, ContextProvider, createContext } from "@lit/context";
import type {
  AuthDict,
  AuthMetadata,
  AuthMetadataOptions,
  RequestOptions,
  ThumbnailSize,
  UiaClient,
  UploadProgress,
} from "../core/index.js";

/**
 * The part of a client that the elements use. All members are optional. `HomeserverClient` and
 * matrix-js-sdk's `MatrixClient` implement it.
 */
export interface AuthClient extends UiaClient {
  /** The base URL of the client-server API. */
  readonly baseUrl?: string | undefined;
  /**
   * Whether `baseUrl` changes only if the session moves to another URL, which keeps the account.
   *
   * @internal
   */
  readonly followsSession?: boolean;
  /** The user ID, if available. */
  readonly userId?: string | undefined;
  /** The user ID, as in matrix-js-sdk. */
  getUserId?(): string | null;
  /** Requests the user ID from the homeserver if the two members above return none. */
  whoami?(): Promise<{ readonly user_id: string }>;
  /**
   * Submits the code from a text message. No element calls it: the dialog submits the code itself.
   */
  submitMsisdnTokenOtherUrl?(
    url: string,
    sid: string,
    secret: string,
    token: string,
  ): Promise<unknown>;
}

/**
 * The part of a client that `<matrix-account>` uses. `HomeserverClient` and matrix-js-sdk's
 * `MatrixClient` implement it.
 */
export interface AccountClient extends AuthClient {
  /** The device of the access token, if available. */
  readonly deviceId?: string | null | undefined;
  whoami(): Promise<{ readonly user_id: string; readonly device_id?: string }>;
  getCapabilities(options?: RequestOptions): Promise<Readonly<Record<string, unknown>>>;
  getAuthMetadata(
    options?: AuthMetadataOptions & { readonly signingKeys?: boolean | undefined },
  ): Promise<Pick<AuthMetadata, "account_management_uri" | "account_management_actions_supported">>;
  getDevices(options?: RequestOptions): Promise<{
    readonly devices: readonly {
      readonly device_id: string;
      readonly display_name?: string | null;
      readonly last_seen_ip?: string | null;
      readonly last_seen_ts?: number | null;
    }[];
  }>;
  setDeviceDetails(
    deviceId: string,
    body: { readonly display_name: string },
    options?: RequestOptions,
  ): Promise<unknown>;
  deleteMultipleDevices(deviceIds: string[], auth?: AuthDict | null): Promise<unknown>;
  setPassword(
    auth: AuthDict | null | undefined,
    newPassword: string,
    logoutDevices?: boolean,
  ): Promise<unknown>;
  deactivateAccount(auth?: AuthDict | null, erase?: boolean): Promise<unknown>;
  getThreePids(options?: RequestOptions): Promise<{
    readonly threepids: readonly { readonly address: string; readonly medium?: unknown }[];
  }>;
  addThreePidOnly(body: {
    readonly sid: string;
    readonly client_secret: string;
    readonly auth?: AuthDict | null | undefined;
  }): Promise<unknown>;
  deleteThreePid(medium: string, address: string): Promise<unknown>;
  requestAdd3pidEmailToken(
    email: string,
    clientSecret: string,
    sendAttempt: number,
  ): Promise<{ readonly sid: string }>;
  requestAdd3pidMsisdnToken(
    phoneCountry: string,
    phoneNumber: string,
    clientSecret: string,
    sendAttempt: number,
  ): Promise<{ readonly sid: string; readonly submit_url?: string | undefined }>;
  logout(): Promise<unknown>;
  /** If it is missing, the element has no section for the user's name and picture. */
  getProfileInfo?(
    userId: string,
    field?: string,
    options?: RequestOptions,
  ): Promise<{
    readonly displayname?: string | null | undefined;
    readonly avatar_url?: string | null | undefined;
  }>;
  setDisplayName?(name: string): Promise<unknown>;
  setAvatarUrl?(url: string): Promise<unknown>;
  getMediaConfig?(useAuthenticatedMedia?: boolean): Promise<object>;
  /** `includeFilename` and `abortController` are for matrix-js-sdk, `signal` is for the other clients. */
  uploadContent?(
    file: Blob,
    options: {
      readonly type?: string;
      readonly progressHandler?: (progress: UploadProgress) => void;
      readonly signal?: AbortSignal | undefined;
      readonly includeFilename?: boolean;
      readonly abortController?: AbortController;
    },
  ): Promise<{ readonly content_uri: string }>;
  /** If it is missing, as in matrix-js-sdk's client, the element loads the picture itself. */
  getThumbnail?(mxcUrl: string, size: ThumbnailSize, options?: RequestOptions): Promise<Blob>;
}

/**
 * The client of the homeserver that the user is signed in to. The key is the same in every copy of
 * the library, so that several copies on one page work together.
 */
export const authClientContext: Context<symbol, AuthClient | undefined> = createContext(
  Symbol.for("matrix-auth-elements/auth-client"),
);

/** Stored here, because a plain element can't store its provider. */
const providers = new WeakMap<HTMLElement, ContextProvider<typeof authClientContext>>();

/**
 * Provides a client to the elements inside `element`, for pages without Lit. To replace the client,
 * call it again. To remove it, pass `undefined`.
 *
 * @see https://github.com/webcomponents-cg/community-protocols/blob/main/proposals/context.md
 */
export function provideAuthClient(element: HTMLElement, client: AuthClient | undefined): void {
  let provider = providers.get(element);
  if (!provider) {
    provider = new ContextProvider(element, { context: authClientContext });
    // A plain element has no lifecycle callbacks to call this.
    provider.hostConnected();
    providers.set(element, provider);
  }
  provider.setValue(client);
}
