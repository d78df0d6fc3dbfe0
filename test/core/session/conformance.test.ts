import { SESSION_ROWS } from "../../conformance/cases/index.js";
import { testSessions } from "../../conformance/page-tier.js";

describe("A session with hostile providers and homeservers", () => testSessions(SESSION_ROWS));
