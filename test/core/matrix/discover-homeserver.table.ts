// What users type, and what well-known files contain.
import { json, type Responder } from "../../support/scripted-fetch.ts";

export const file = (rest: Record<string, unknown> = {}): Responder => json({ "m.homeserver": { base_url: "https://matrix.example.org" }, ...rest });
export const base = (base_url: string): Responder => file({ "m.homeserver": { base_url } });

/** Input for the server example.org. */
export const NAMES = [
  "example.org",
  "  example.org ",
  "EXAMPLE.org",
  "@alice:example.org",
  // The file is on the default port, even if the server name has another port.
  "@alice:example.org:8448",
  "https://example.org",
  "https://example.org/",
  "HTTPS://example.org",
  // Browsers read these as the same URL.
  "https:example.org",
  "https:/example.org",
  " https:///example.org/\n",
  "example.org.",
  "https://Example.ORG./",
  "@alice:example.org.",
  // Input methods of East Asian languages insert these characters.
  "ｅｘａｍｐｌｅ．ｏｒｇ",
  "example。org",
  "＠alice：example.org",
  // Text that is copied from a page can contain these characters.
  "\u200Bexa\u00ADmple.org\uFEFF",
  "\u2068example.org\u2069\n",
  "alice:example.org",
  "matrix:u/alice:example.org",
  "MATRIX:u/alice:example.org?action=chat",
  "https://matrix.to/#/@alice:example.org",
  "matrix.to/#/%40alice%3Aexample.org?via=other.example",
  // URLs of requests, from a configuration or a log.
  "https://https://example.org",
  "http://https://example.org/",
  "https://example.org/_matrix/client/versions",
  "example.org/_matrix/",
  "https://example.org/.well-known/matrix/client?v=1",
];

/** Input, the origin of its well-known file, and the base URL without that file. */
export const BASE_URLS = [
  ["example.org:8448", "https://example.org", "https://example.org:8448"],
  ["example.org:8448/", "https://example.org", "https://example.org:8448"],
  ["  Example.ORG/ ", "https://example.org", "https://example.org"],
  ["my_server.example.org", "https://my_server.example.org", "https://my_server.example.org"],
  ["bücher.example", "https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
  ["@alice:bücher.example", "https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
  ["https://日本語.example/", "https://xn--wgv71a119e.example", "https://xn--wgv71a119e.example"],
  ["президент.рф", "https://xn--d1abbgf6aiiy.xn--p1ai", "https://xn--d1abbgf6aiiy.xn--p1ai"],
  ["faß.example", "https://xn--fa-hia.example", "https://xn--fa-hia.example"],
  // The zero-width non-joiner is a part of this name.
  ["نامه\u200Cای.example", "https://xn--mgba3gch31f060k.example", "https://xn--mgba3gch31f060k.example"],
  ["example.org.:08448", "https://example.org", "https://example.org:8448"],
  ["example．org：８４４８", "https://example.org", "https://example.org:8448"],
  ["example.org:0443", "https://example.org", "https://example.org"],
  ["https://matrix.to/#/%40alice%3Aexample.org%3A8448", "https://example.org", "https://example.org:8448"],
  ["[2001:db8::1]:8448", "https://[2001:db8::1]", "https://[2001:db8::1]:8448"],
  ["https://example.org:8448", "https://example.org:8448", "https://example.org:8448"],
  // A loopback address cannot have a certificate.
  ...["localhost:8008", "127.0.0.1:8008", "[::1]:8008", "hs.localhost:8008"].flatMap((host) =>
    [`@alice:${host}`, `http://${host}`].map((input) => [input, `http://${host}`, `http://${host}`] as const),
  ),
] as const;

/** Well-known files, and what is read in them. */
export const FILES = [
  ["the base URL without slashes at the end of its path", base("https://example.org/matrix//"), { baseUrl: "https://example.org/matrix" }],
  ...[
    " https://matrix.example.org\n",
    "https:matrix.example.org",
    "https:/matrix.example.org/",
    "https://https://matrix.example.org",
    "https://matrix.example.org/_matrix",
    "https://matrix.example.org/_matrix/client/v3/",
    "matrix.example.org",
    "matrix.example.org:443/",
  ].map((url) => [`the base URL that browsers read in ${JSON.stringify(url)}`, base(url), {}] as const),
  [
    "the identity server and the issuer that the file names",
    file({
      "m.identity_server": { base_url: "https://identity.example.org/" },
      "org.matrix.msc2965.authentication": { issuer: "https://idp.example.org/realm/" },
    }),
    { identityServerUrl: "https://identity.example.org", issuer: "https://idp.example.org/realm/" },
  ],
  [
    "the issuer of the stable key when both are there",
    file({ "org.matrix.msc2965.authentication": { issuer: "https://old.example.org/" }, "m.authentication": { issuer: "https://new.example.org/" } }),
    { issuer: "https://new.example.org/" },
  ],
  ...[null, "", {}, [], "x", { base_url: "" }, { base_url: null }, { base_url: "javascript:alert(1)" }].map(
    (identityServer) => [`no identity server when the file has ${JSON.stringify(identityServer)}`, file({ "m.identity_server": identityServer }), {}] as const,
  ),
  ...[{ issuer: "javascript:alert(1)" }, { issuer: "http://idp.example.org/" }, { issuer: 5 }, "https://idp.example.org/", null].map(
    (authentication) => [`no issuer when the file has ${JSON.stringify(authentication)}`, file({ "m.authentication": authentication }), {}] as const,
  ),
] as const;

/** Input that names no server. */
export const NO_NAMES = [
  "",
  "@alice",
  "@alice:",
  "exa mple.org",
  "example.org//path",
  "example.org/path?query",
  "example.org:port",
  "example.org:99999999",
  "example.org:99999",
  "user@example.org",
  "javascript:alert(1)",
  "ftp://example.org",
  "http://example.org",
  "https://",
  "https://user:password@example.org",
  "https://example.org?query",
  "https://example.org#fragment",
  "https://[::",
  "https://exa mple.org",
  // Some parsers read the text after the backslash as the host.
  "https://evil.example\\@example.org",
  "https:\\\\example.org",
  "https:user@example.org",
  "https:/\\example.org",
  "https://example.org＠evil.example",
  "https://example.org／.evil.example",
  "[fe80::1%25eth0]",
  "@alice:example.org:name",
  "exa\u3000mple.org",
  "exam\nple.org",
  "matrix:u/alice",
  "matrix:r/room:example.org",
  "https://matrix.to/#/#room:example.org",
  "https://matrix.to/#/@%",
  "https://example.org\\path",
];
