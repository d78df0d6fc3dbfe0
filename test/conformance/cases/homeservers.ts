import { MAX_URL_LENGTH, endpoint, filled, member, oidcError } from "../deviations.js";
import { changed, honestly, html, inSequence, json, redirect, status } from "../responses.js";
import type { Environment } from "../environment.js";
import { loginRows, type Endpoint, type Responder } from "../row.js";
import { CWE_INEFFICIENT_EXPRESSION, OWASP_PROTOTYPE_POLLUTION, matrix, msc } from "../sources.js";

const INVALID = { source: matrix("well-known URIs", "well-known-uris"), refused: oidcError("General", "well_known_invalid"), reaches: "discovery" } as const;
const NOT_SUPPORTED = {
  source: matrix("server metadata", "server-metadata-discovery"),
  refused: oidcError("NotSupported", "oidc_not_supported"),
  reaches: "discovery",
} as const;
const FAILED = { source: INVALID.source, reaches: "discovery" } as const;

const NO_BASE = { ...INVALID, reason: "base_url of m.homeserver is not an HTTPS URL" };

const homeserver = member("wellKnown", "m.homeserver");
const wellKnown = endpoint("well-known");
const metadata = endpoint("auth_metadata");

/** The response of a homeserver that does not have the endpoint. */
const UNRECOGNIZED = json({ errcode: "M_UNRECOGNIZED", error: "Unrecognized request" }, 404);

const toItself = redirect(302, ({ homeserver }) => `${homeserver.origin}/.well-known/matrix/client`);

/** The homeserver's base URL with this length. It ends with slashes, which do not change it. */
const baseOf =
  (length: number) =>
  ({ homeserver }: Environment): { readonly base_url: string } => ({ base_url: filled(`${homeserver.origin}/`, length) });

/** The homeserver has metadata only at the unstable endpoints. */
const unstable = (name: Endpoint, respond: Responder): Readonly<Partial<Record<Endpoint, Responder>>> => ({ auth_metadata: UNRECOGNIZED, [name]: respond });

/** A homeserver's documents about itself and its provider. */
export const HOMESERVERS = [
  ...loginRows({ ...NO_BASE, deviationOf: homeserver }, [
    ["homeserver-base-a-script", { base_url: "javascript:alert(1)" }, ({ homeserver }) => ({ base_url: `${homeserver.origin}/` })],
    ["homeserver-base-unencrypted", { base_url: "http://matrix.example/" }],
    ["homeserver-base-relative", { base_url: "/" }],
    ["homeserver-base-with-a-username", ({ homeserver }) => ({ base_url: homeserver.origin.replace("//", "//matrix.org@") })],
    {
      id: "homeserver-base-missing",
      deviation: homeserver({}),
      // Without the file, the server itself is the homeserver.
      control: wellKnown(status(404)),
    },
    { id: "homeserver-base-a-list", deviation: homeserver((_, honest) => [honest["m.homeserver"]]), control: { wellKnown: { "org.example.custom": [1] } } },
    {
      id: "homeserver-base-in-the-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: wellKnown(changed((body) => `{"__proto__":${body}}`)),
      control: { wellKnown: { ["__proto__"]: { "m.homeserver": { base_url: "https://evil.example" } } } },
    },
  ]),
  ...loginRows({ ...NO_BASE, source: CWE_INEFFICIENT_EXPRESSION, deviationOf: homeserver }, [
    ["homeserver-base-with-120000-slashes", baseOf(120_000), baseOf(MAX_URL_LENGTH)],
    ["homeserver-base-one-character-too-long", baseOf(MAX_URL_LENGTH + 1), baseOf(MAX_URL_LENGTH)],
  ]),
  ...loginRows(INVALID, [["homeserver-file-a-web-page", wellKnown(html())]]),
  ...loginRows(FAILED, [
    {
      id: "homeserver-well-known-endless-redirect",
      source: msc(4402),
      deviation: wellKnown(toItself),
      refused: oidcError("General", "network_error"),
      control: wellKnown(inSequence(toItself, honestly)),
    },
    {
      id: "homeserver-metadata-rate-limit-with-a-matrix-errcode",
      source: matrix("rate limiting", "rate-limiting"),
      deviation: metadata(json({ errcode: "M_LIMIT_EXCEEDED", retry_after_ms: 900 }, 429)),
      refused: oidcError("General", "rate_limited"),
      retryAfterMs: 900,
    },
  ]),
  ...loginRows(NOT_SUPPORTED, [
    [
      "homeserver-without-a-provider",
      metadata(UNRECOGNIZED),
      { endpoints: unstable("unstable auth_metadata", ({ environment }) => ({ body: environment.idp.metadata })) },
    ],
    [
      "homeserver-metadata-a-web-page",
      metadata(html()),
      { endpoints: { auth_metadata: html(), auth_issuer: ({ environment }) => ({ body: { issuer: environment.idp.origin } }) } },
    ],
  ]),
  ...loginRows({ source: msc(2965), reaches: "discovery" }, [
    {
      id: "homeserver-issuer-javascript-url",
      deviation: { endpoints: unstable("auth_issuer", json({ issuer: "javascript:alert(1)" })) },
      refused: oidcError("General", "issuer_invalid"),
      control: { endpoints: unstable("auth_issuer", ({ environment }) => ({ body: { issuer: environment.idp.metadata["issuer"] } })) },
    },
    {
      id: "homeserver-issuer-mismatch",
      deviation: {
        endpoints: unstable("auth_issuer", ({ environment }) => ({ body: { issuer: environment.idp.origin } })),
        document: ({ other }) => ({ issuer: `${other.origin}/` }),
      },
      refused: oidcError("OpSupport", "issuer_mismatch"),
      control: { ...metadata(UNRECOGNIZED), wellKnown: ({ idp }) => ({ "m.authentication": { issuer: `${idp.origin}/` } }) },
    },
  ]),
];
