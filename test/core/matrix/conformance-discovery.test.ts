import { DISCOVERY_ROWS } from "../../conformance/cases/index.js";
import { testLogins } from "../../conformance/page-tier.js";

describe("Discovery with hostile homeservers and providers", () => testLogins(DISCOVERY_ROWS));
