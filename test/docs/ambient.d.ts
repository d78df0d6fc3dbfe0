// Names that the examples of the documentation assume: each says so in the words around it.
import type {
  AuthorizationCodeGrantResult,
  HomeserverClient,
  OidcRegistrationClientMetadata,
  OidcSession,
  SessionStore,
  UiaDialogElement,
  ValidatedAuthMetadata,
} from "matrix-auth-elements";

declare global {
  // Of a service worker, which TypeScript's types of a page do not have.
  const importScripts: (url: string) => void;
  const skipWaiting: () => Promise<void>;
  const clients: { claim(): Promise<void> };
  const MatrixAuthElements: typeof import("matrix-auth-elements/service-worker");
  const client: HomeserverClient;
  const dialog: UiaDialogElement;
  const form: HTMLFormElement & { readonly elements: { readonly token: HTMLInputElement } };
  const matrixClient: import("matrix-js-sdk").MatrixClient;
  const result: AuthorizationCodeGrantResult;
  const session: OidcSession;
  const refresher: import("matrix-auth-elements/matrix-js-sdk").OidcTokenRefresher;
  const signal: AbortSignal;
  const metadata: ValidatedAuthMetadata;
  const clientMetadata: OidcRegistrationClientMetadata;
  const [baseUrl, homeserverUrl, redirectUri]: readonly string[];
  const [accessToken, clientId, userId, username, password]: readonly string[];
  const show: (...shown: readonly unknown[]) => void;
  const beginLogin: (homeserver: string) => Promise<string>;
  const completeLogin: (link: string) => Promise<OidcSession>;
  const fileStore: SessionStore;
  const mainWindow: { readonly webContents: { send(channel: string, text: string): void } };
  interface Window {
    readonly desktop: {
      open(url: string): Promise<void>;
      launchLink(): Promise<string | undefined>;
      onLink(listener: (link: string) => void): void;
    };
  }
  const openInBrowser: (url: string) => void;
  const deleteDevice: (id: string, auth: object | null) => Promise<unknown>;
  const loadScript: (url: string) => Promise<void>;
  const grecaptcha: import("matrix-auth-elements").CaptchaApi & { ready(then: () => void): void };
}
