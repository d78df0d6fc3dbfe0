import type { PopupRow, Row, SessionRow } from "../row.js";
import { ACCOUNT_MANAGEMENT } from "./account-management.js";
import { AUTHORIZATION_RESPONSES } from "./authorization-responses.js";
import { AUTHORIZATION_ERRORS } from "./authorization-errors.js";
import { DEVICE_AUTHORIZATION } from "./device-authorization.js";
import { DEVICE_TOKENS } from "./device-tokens.js";
import { ENDPOINT_URLS } from "./endpoint-urls.js";
import { HOMESERVERS } from "./homeservers.js";
import { ID_TOKEN_CLAIMS } from "./id-token-claims.js";
import { ID_TOKEN_FORM } from "./id-token-form.js";
import { ISSUER_DOCUMENTS } from "./issuer-documents.js";
import { ISSUERS } from "./issuers.js";
import { KEY_SETS } from "./key-sets.js";
import { METADATA } from "./metadata.js";
import { MIX_UP } from "./mix-up.js";
import { ORIGINS } from "./origins.js";
import { POPUPS } from "./popups.js";
import { REFRESH_RESPONSES } from "./refresh-responses.js";
import { OTHER_TABS } from "./other-tabs.js";
import { REFRESH_FAILURES } from "./refresh-failures.js";
import { REFRESH_ID_TOKENS } from "./refresh-id-tokens.js";
import { REFRESH_REFUSALS } from "./refresh-refusals.js";
import { REFRESH_TOKENS } from "./refresh-tokens.js";
import { REFRESH_TRANSPORT } from "./refresh-transport.js";
import { REGISTRATION } from "./registration.js";
import { REVOCATION } from "./revocation.js";
import { SESSION_FETCH } from "./session-fetch.js";
import { SIGNATURES } from "./signatures.js";
import { TOKEN_RESPONSES } from "./token-responses.js";
import { TOKEN_FAILURES } from "./token-failures.js";
import { DEVICE_TRANSPORT, DISCOVERY_TRANSPORT, KEYS_TRANSPORT, REGISTRATION_TRANSPORT, TOKEN_TRANSPORT } from "./transport.js";

/** From a homeserver's name to its provider's metadata. */
export const DISCOVERY_ROWS: readonly Row[] = [
  ...HOMESERVERS,
  ...ISSUERS,
  ...ISSUER_DOCUMENTS,
  ...METADATA,
  ...ENDPOINT_URLS,
  ...ORIGINS,
  ...DISCOVERY_TRANSPORT,
];

export const REGISTRATION_ROWS: readonly Row[] = [...REGISTRATION, ...REGISTRATION_TRANSPORT];

/** From the browser's return to the tokens. */
export const CODE_ROWS: readonly Row[] = [
  ...AUTHORIZATION_ERRORS,
  ...AUTHORIZATION_RESPONSES,
  ...MIX_UP,
  ...TOKEN_FAILURES,
  ...TOKEN_TRANSPORT,
  ...TOKEN_RESPONSES,
];

export const ID_TOKEN_ROWS: readonly Row[] = [...ID_TOKEN_CLAIMS, ...ID_TOKEN_FORM, ...SIGNATURES, ...KEY_SETS, ...KEYS_TRANSPORT];

export const DEVICE_ROWS: readonly Row[] = [...DEVICE_AUTHORIZATION, ...DEVICE_TRANSPORT, ...DEVICE_TOKENS];

/** The whole table of sign-ins, in the order of their steps. */
export const ROWS: readonly Row[] = [...DISCOVERY_ROWS, ...REGISTRATION_ROWS, ...CODE_ROWS, ...ID_TOKEN_ROWS, ...DEVICE_ROWS];

/** The whole table of sessions. */
export const SESSION_ROWS: readonly SessionRow[] = [
  ...REFRESH_REFUSALS,
  ...REFRESH_FAILURES,
  ...REFRESH_TRANSPORT,
  ...REFRESH_RESPONSES,
  ...REFRESH_ID_TOKENS,
  ...REFRESH_TOKENS,
  ...OTHER_TABS,
  ...SESSION_FETCH,
  ...ACCOUNT_MANAGEMENT,
  ...REVOCATION,
];

/** The whole table of sign-ins in a popup. */
export const POPUP_ROWS: readonly PopupRow[] = POPUPS;
