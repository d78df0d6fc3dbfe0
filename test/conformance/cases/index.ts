import type { Row } from "../bend.js";
import { ID_TOKEN_CLAIMS } from "./id-token-claims.js";
import { ID_TOKEN_FORM } from "./id-token-form.js";
import { KEY_SETS } from "./key-sets.js";
import { SIGNATURES } from "./signatures.js";
import { TOKEN_ANSWERS } from "./token-answers.js";
import { TOKEN_FAILURES } from "./token-failures.js";
import { TOKEN_TEXTS } from "./token-texts.js";
import { TOKEN_TRANSPORT } from "./token-transport.js";

/** The whole table. */
export const ROWS: readonly Row[] = [
  ...ID_TOKEN_CLAIMS,
  ...ID_TOKEN_FORM,
  ...SIGNATURES,
  ...KEY_SETS,
  ...TOKEN_ANSWERS,
  ...TOKEN_TEXTS,
  ...TOKEN_FAILURES,
  ...TOKEN_TRANSPORT,
];
