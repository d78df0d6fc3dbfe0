import { REGISTRATION_ROWS } from "../../conformance/cases/index.js";
import { testLogins } from "../../conformance/page-tier.js";

describe("Registration at hostile providers", () => testLogins(REGISTRATION_ROWS));
