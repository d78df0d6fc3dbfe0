import { ID_TOKEN_ROWS } from "../../conformance/cases/index.js";
import { testLogins } from "../../conformance/page-tier.js";

describe("An ID token of hostile providers", () => testLogins(ID_TOKEN_ROWS));
