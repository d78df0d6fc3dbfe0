// What of oidc-provider is used here: the package has no types.
import type { RequestListener } from "node:http";

/** A token that the provider gave out; a `Grant` is what a user agreed to once, and ends as one. */
export interface ProviderToken {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scope: string | undefined;
  /** Seconds. */
  readonly remainingTTL: number;
  destroy(): Promise<void>;
}

/** A request, and what the provider made of it where it was for one of its own endpoints. */
export interface ProviderContext {
  readonly oidc?: {
    readonly route: string;
    readonly entities: { readonly AccessToken?: ProviderToken };
  };
}

export interface OidcProvider {
  readonly AccessToken: { find(value: string): Promise<ProviderToken | undefined> };
  /** Takes any of Koa's. */
  use(middleware: (ctx: never, next: () => Promise<void>) => unknown): void;
  callback(): RequestListener;
}
