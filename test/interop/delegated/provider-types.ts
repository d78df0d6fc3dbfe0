// Types of oidc-provider, whose package has none. Only the used members are declared.
import type { RequestListener } from "node:http";

/** A token of the provider. A `Grant` is a user's consent, whose tokens end together. */
export interface ProviderToken {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scope: string | undefined;
  /** In seconds. */
  readonly remainingTTL: number;
  destroy(): Promise<void>;
}

/** A request, and the provider's result if the request is for one of its endpoints. */
export interface ProviderContext {
  readonly oidc?: {
    readonly route: string;
    readonly entities: { readonly AccessToken?: ProviderToken };
  };
}

export interface OidcProvider {
  readonly AccessToken: { find(value: string): Promise<ProviderToken | undefined> };
  /** Accepts any Koa middleware. */
  use(middleware: (ctx: never, next: () => Promise<void>) => unknown): void;
  callback(): RequestListener;
}
