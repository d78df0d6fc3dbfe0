import type { Row } from "../bend.js";
import { ID_TOKEN_CLAIMS } from "./id-token-claims.js";

/** The whole table. */
export const ROWS: readonly Row[] = [...ID_TOKEN_CLAIMS];
