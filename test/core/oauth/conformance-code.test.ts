import { CODE_ROWS } from "../../conformance/cases/index.js";
import { testLogins } from "../../conformance/page-tier.js";

describe("A sign-in with hostile providers", () => testLogins(CODE_ROWS));
