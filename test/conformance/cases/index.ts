import type { Row, SessionRow } from "../bend.js";
import { ACCOUNT_MANAGEMENT } from "./account-management.js";
import { AUTHORIZATION_ANSWERS } from "./authorization-answers.js";
import { AUTHORIZATION_ERRORS } from "./authorization-errors.js";
import { DEVICE_AUTHORIZATION } from "./device-authorization.js";
import { DEVICE_TOKENS } from "./device-tokens.js";
import { ENDPOINT_ADDRESSES } from "./endpoint-addresses.js";
import { HOMESERVERS } from "./homeservers.js";
import { ID_TOKEN_CLAIMS } from "./id-token-claims.js";
import { ID_TOKEN_FORM } from "./id-token-form.js";
import { ISSUER_DOCUMENTS } from "./issuer-documents.js";
import { ISSUERS } from "./issuers.js";
import { KEY_SETS } from "./key-sets.js";
import { METADATA } from "./metadata.js";
import { MIX_UP } from "./mix-up.js";
import { ORIGINS } from "./origins.js";
import { REFRESH_ANSWERS } from "./refresh-answers.js";
import { REFRESH_FAILURES } from "./refresh-failures.js";
import { REFRESH_ID_TOKENS } from "./refresh-id-tokens.js";
import { REFRESH_REFUSALS } from "./refresh-refusals.js";
import { REFRESH_TOKENS } from "./refresh-tokens.js";
import { REFRESH_TRANSPORT } from "./refresh-transport.js";
import { REGISTRATION_ANSWERS } from "./registration-answers.js";
import { REGISTRATION_REFUSALS } from "./registration-refusals.js";
import { REVOCATION } from "./revocation.js";
import { SESSION_FETCH } from "./session-fetch.js";
import { SIGNATURES } from "./signatures.js";
import { TOKEN_ANSWERS } from "./token-answers.js";
import { TOKEN_FAILURES } from "./token-failures.js";
import { TOKEN_TEXTS } from "./token-texts.js";
import { TOKEN_TRANSPORT } from "./token-transport.js";

/** The whole table, in the order in which a login meets it. */
export const ROWS: readonly Row[] = [
  ...HOMESERVERS,
  ...ISSUERS,
  ...ISSUER_DOCUMENTS,
  ...METADATA,
  ...ENDPOINT_ADDRESSES,
  ...ORIGINS,
  ...REGISTRATION_REFUSALS,
  ...REGISTRATION_ANSWERS,
  ...AUTHORIZATION_ERRORS,
  ...AUTHORIZATION_ANSWERS,
  ...MIX_UP,
  ...TOKEN_FAILURES,
  ...TOKEN_TRANSPORT,
  ...TOKEN_TEXTS,
  ...TOKEN_ANSWERS,
  ...ID_TOKEN_CLAIMS,
  ...ID_TOKEN_FORM,
  ...SIGNATURES,
  ...KEY_SETS,
  ...DEVICE_AUTHORIZATION,
  ...DEVICE_TOKENS,
];

/** The same of sessions, in the order in which one meets it. */
export const SESSION_ROWS: readonly SessionRow[] = [
  ...REFRESH_REFUSALS,
  ...REFRESH_FAILURES,
  ...REFRESH_TRANSPORT,
  ...REFRESH_ANSWERS,
  ...REFRESH_ID_TOKENS,
  ...REFRESH_TOKENS,
  ...SESSION_FETCH,
  ...ACCOUNT_MANAGEMENT,
  ...REVOCATION,
];
