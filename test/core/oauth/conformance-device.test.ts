import { DEVICE_ROWS } from "../../conformance/cases/index.js";
import { testLogins } from "../../conformance/page-tier.js";

describe("A device grant with hostile providers", () => testLogins(DEVICE_ROWS));
