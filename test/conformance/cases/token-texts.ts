import { changed, json, status, text } from "../responses.js";
import type { Responder, Deviation } from "../row.js";
import { loginRows } from "../row.js";
import { OWASP_PROTOTYPE_POLLUTION, OWASP_RESOURCE_CONSUMPTION, rfc } from "../sources.js";

const INVALID = { message: "InvalidBearerTokenResponse", code: "token_response_invalid" } as const;

const tokenResponse = (respond: Responder): Deviation => ({ endpoints: { token: respond } });

/** A deep tree of lists. */
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** The text of a token response that was given with HTTP 200: what is JSON, and what looks like it. */
const utf16 = (text: string): Uint8Array =>
  new Uint8Array(Uint16Array.from([...text], (letter) => letter.charCodeAt(0)).buffer);

export const TOKEN_TEXTS = loginRows(
  { refused: INVALID, reaches: "token", source: rfc(8259, "2") },
  [
    {
      id: "tokens-null",
      reason: /The response is not a JSON object/,
      source: rfc(6749, "5.1"),
      deviation: tokenResponse(json(null)),
    },
    {
      id: "tokens-a-bare-text",
      source: rfc(6749, "5.1"),
      deviation: tokenResponse(changed((body) => JSON.stringify(body))),
    },
    { id: "tokens-nothing", source: rfc(6749, "5.1"), deviation: tokenResponse(text("")) },
    { id: "tokens-no-content", source: rfc(9110, "15.3.5"), deviation: tokenResponse(status(204)) },
    {
      id: "tokens-that-break-off",
      deviation: tokenResponse(changed((body) => body.slice(0, -1))),
      control: tokenResponse(changed((body) => `${body}  `)),
    },
    {
      id: "tokens-with-more-behind-them",
      deviation: tokenResponse(changed((body) => `${body}{}`)),
      control: tokenResponse(changed((body) => `${body}\n`)),
    },
    { id: "tokens-as-a-script", deviation: tokenResponse(changed((body) => `callback(${body})`)) },
    {
      id: "tokens-behind-a-guard",
      deviation: tokenResponse(changed((body) => `)]}',\n${body}`)),
      control: tokenResponse(changed((body) => `\n${body}`)),
    },
    {
      id: "tokens-with-a-comment",
      deviation: tokenResponse(changed((body) => `/* tokens */ ${body}`)),
      control: { tokens: { comment: "/* tokens */" } },
    },
    {
      id: "tokens-in-utf-16",
      source: rfc(8259, "8.1"),
      deviation: tokenResponse(changed((body) => utf16(`\ufeff${body}`))),
      // A reader may pass over a byte order mark.
      control: tokenResponse(changed((body) => `\ufeff${body}`)),
    },
    {
      id: "tokens-a-hundred-thousand-levels-deep",
      source: OWASP_RESOURCE_CONSUMPTION,
      deviation: tokenResponse(text(deep(100_000))),
      control: tokenResponse(changed((body) => body.replace("{", `{"deep":${deep(1000)},`))),
    },
    {
      id: "tokens-of-a-prototype",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: tokenResponse(changed((body) => `{"__proto__":${body}}`)),
      control: { tokens: { ["__proto__"]: { access_token: "a", polluted: true } } },
    },
    {
      id: "tokens-of-a-constructor",
      source: OWASP_PROTOTYPE_POLLUTION,
      deviation: tokenResponse(changed((body) => `{"constructor":{"prototype":${body}}}`)),
      control: { tokens: { constructor: { prototype: { polluted: true } }, toString: null } },
    },
    {
      id: "tokens-member-twice-the-last-one-wrong",
      source: rfc(8259, "4"),
      deviation: tokenResponse(changed((body) => body.replace(/}$/, ',"token_type":"mac"}'))),
      control: tokenResponse(changed((body) => body.replace("{", '{"token_type":"mac",'))),
    },
    {
      id: "tokens-an-error-with-200",
      source: rfc(6749, "5.2"),
      deviation: tokenResponse(
        json({ error: "invalid_grant", error_description: "The code is used up" }),
      ),
    },
  ],
);
