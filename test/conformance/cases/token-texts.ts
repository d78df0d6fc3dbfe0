import { changed, json, status, text } from "../answers.js";
import type { Answer, Bend, Row } from "../bend.js";

const INVALID = { message: "InvalidBearerTokenResponse", code: "token_response_invalid" } as const;

const tokenAnswer = (answer: Answer): Bend => ({ endpoints: { token: answer } });

/** A deep tree of lists. */
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** The text of a token answer that was given with HTTP 200: what is JSON, and what looks like it. */
export const TOKEN_TEXTS: readonly Row[] = [
  {
    id: "tokens-null",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(json(null)),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-a-bare-text",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(changed((body) => JSON.stringify(body))),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-nothing",
    source: "RFC 6749 section 5.1, https://www.rfc-editor.org/rfc/rfc6749#section-5.1",
    bent: tokenAnswer(text("")),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-no-content",
    source: "RFC 9110 section 15.3.5, https://www.rfc-editor.org/rfc/rfc9110#section-15.3.5",
    bent: tokenAnswer(status(204)),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-that-break-off",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: tokenAnswer(changed((body) => body.slice(0, -1))),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => `${body}  `)),
  },
  {
    id: "tokens-with-more-behind-them",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: tokenAnswer(changed((body) => `${body}{}`)),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => `${body}\n`)),
  },
  {
    id: "tokens-as-a-script",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: tokenAnswer(changed((body) => `callback(${body})`)),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
  {
    id: "tokens-behind-a-guard",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: tokenAnswer(changed((body) => `)]}',\n${body}`)),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => `\n${body}`)),
  },
  {
    id: "tokens-with-a-comment",
    source: "RFC 8259 section 2, https://www.rfc-editor.org/rfc/rfc8259#section-2",
    bent: tokenAnswer(changed((body) => `/* tokens */ ${body}`)),
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { comment: "/* tokens */" } },
  },
  {
    id: "tokens-in-utf-16",
    source: "RFC 8259 section 8.1, https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
    bent: tokenAnswer(changed((body) => Buffer.from(`\ufeff${body}`, "utf16le"))),
    refused: INVALID,
    reaches: "token",
    // A reader may pass over a byte order mark.
    twin: tokenAnswer(changed((body) => `\ufeff${body}`)),
  },
  {
    id: "tokens-a-hundred-thousand-levels-deep",
    source:
      "OWASP API4, https://owasp.org/API-Security/editions/2023/en/0xa4-unrestricted-resource-consumption/",
    bent: tokenAnswer(text(deep(100_000))),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => body.replace("{", `{"deep":${deep(1000)},`))),
  },
  {
    id: "tokens-of-a-prototype",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: tokenAnswer(changed((body) => `{"__proto__":${body}}`)),
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { ["__proto__"]: { access_token: "a", polluted: true } } },
  },
  {
    id: "tokens-of-a-constructor",
    source:
      "OWASP, prototype pollution, https://cheatsheetseries.owasp.org/cheatsheets/Prototype_Pollution_Prevention_Cheat_Sheet.html",
    bent: tokenAnswer(changed((body) => `{"constructor":{"prototype":${body}}}`)),
    refused: INVALID,
    reaches: "token",
    twin: { tokens: { constructor: { prototype: { polluted: true } }, toString: null } },
  },
  {
    id: "tokens-member-twice-the-last-one-wrong",
    source: "RFC 8259 section 4, https://www.rfc-editor.org/rfc/rfc8259#section-4",
    bent: tokenAnswer(changed((body) => body.replace(/}$/, ',"token_type":"mac"}'))),
    refused: INVALID,
    reaches: "token",
    twin: tokenAnswer(changed((body) => body.replace("{", '{"token_type":"mac",'))),
  },
  {
    id: "tokens-an-error-with-200",
    source: "RFC 6749 section 5.2, https://www.rfc-editor.org/rfc/rfc6749#section-5.2",
    bent: tokenAnswer(json({ error: "invalid_grant", error_description: "The code is used up" })),
    refused: INVALID,
    reaches: "token",
    twin: {},
  },
];
