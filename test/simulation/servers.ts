// Two homeservers, each with its provider, that know what a client may do: what they see is what they judge.

/** One sign-in. */
export interface Grant {
  readonly id: string;
  readonly home: Home;
  readonly userId: string;
  readonly deviceId: string;
  /** Of the newest tokens. */
  generation: number;
  /** Whether one of the newest tokens was used. */
  isNewestUsed: boolean;
  /** When the newest access token expires, as the server counts. */
  expiresAt: number;
  endedBy: "client" | "server" | undefined;
}

export type Home = "one" | "two";

export interface Sent {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  /** The grant whose tokens the reply contains. */
  readonly grant?: Grant;
}

export const homeserverOf = (home: Home): string => `https://${home}.example`;
export const issuerOf = (home: Home): string => `https://id.${home}.example/`;

export const LIFE_S = 300;

const unknownToken: Reply = {
  status: 401,
  body: { errcode: "M_UNKNOWN_TOKEN", error: "Unknown token" },
};
const invalidGrant: Reply = { status: 400, body: { error: "invalid_grant" } };

export class Servers {
  readonly grants: Grant[] = [];
  /** Called if a refresh token comes once more, before the servers respond. */
  onReuse: (grant: Grant) => void = () => undefined;
  /** Called if a client ends a grant. */
  onRevoke: (grant: Grant) => void = () => undefined;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  signIn(home: Home, user: string): Grant {
    const id = `${home}.g${this.grants.length}`;
    const grant: Grant = {
      id,
      home,
      userId: `@${user}:${home}.example`,
      deviceId: `DEVICE${this.grants.length}`,
      generation: 0,
      isNewestUsed: false,
      expiresAt: this.#now() + LIFE_S * 1000,
      endedBy: undefined,
    };
    this.grants.push(grant);
    return grant;
  }

  respond({ url, headers, body }: Sent): Reply {
    const token = headers.get("Authorization")?.replace("Bearer ", "");
    const form = new URLSearchParams(body);
    switch (url.pathname) {
      case "/token":
        return this.#refresh(form.get("refresh_token"), invalidGrant, (grant) => ({
          access_token: accessToken(grant),
          refresh_token: refreshToken(grant),
          token_type: "Bearer",
          expires_in: LIFE_S,
        }));
      case "/_matrix/client/v3/refresh": {
        const { refresh_token } = JSON.parse(body) as { readonly refresh_token: string };
        return this.#refresh(refresh_token, unknownToken, (grant) => ({
          access_token: accessToken(grant),
          refresh_token: refreshToken(grant),
          expires_in_ms: LIFE_S * 1000,
        }));
      }
      case "/revoke":
        this.#end(form.get("token"));
        return { status: 200, body: {} };
      case "/_matrix/client/v3/logout":
        if (!this.#accepts(token)) return unknownToken;
        this.#end(token);
        return { status: 200, body: {} };
      case "/_matrix/client/v3/account/whoami": {
        const grant = this.#accepts(token);
        return grant ? { status: 200, body: { user_id: grant.userId } } : unknownToken;
      }
    }
    return { status: 404, body: { errcode: "M_UNRECOGNIZED" } };
  }

  /** As MSC2918 and Matrix Authentication Service do: the old token works until a new one was used. */
  #refresh(token: string | null, refusal: Reply, tokens: (grant: Grant) => object): Reply {
    const { grant, generation } = this.#find(token);
    if (!grant || grant.endedBy) return refusal;
    if (generation === grant.generation) {
      grant.generation += 1;
    } else {
      this.onReuse(grant);
      if (generation !== grant.generation - 1 || grant.isNewestUsed) return refusal;
    }
    grant.isNewestUsed = false;
    grant.expiresAt = this.#now() + LIFE_S * 1000;
    return { status: 200, body: tokens(grant), grant };
  }

  #accepts(token: string | null | undefined): Grant | undefined {
    const { grant, generation } = this.#find(token);
    if (!grant || grant.endedBy || generation !== grant.generation) return undefined;
    if (this.#now() > grant.expiresAt) return undefined;
    grant.isNewestUsed = true;
    return grant;
  }

  #end(token: string | null | undefined): void {
    const { grant } = this.#find(token);
    if (!grant || grant.endedBy) return;
    this.onRevoke(grant);
    grant.endedBy = "client";
  }

  #find(token: string | null | undefined): { grant?: Grant; generation?: number } {
    const [, id, generation] = /^(.*)\.[ar](\d+)$/.exec(token ?? "") ?? [];
    const grant = this.grants.find((each) => each.id === id);
    return grant ? { grant, generation: Number(generation) } : {};
  }
}

export const accessToken = ({ id, generation }: Grant): string => `${id}.a${generation}`;
export const refreshToken = ({ id, generation }: Grant): string => `${id}.r${generation}`;

/** The grants whose tokens a text contains. */
export const tokensIn = (text: string): readonly string[] =>
  text.match(/(one|two)\.g\d+\.[ar]\d+/g) ?? [];
