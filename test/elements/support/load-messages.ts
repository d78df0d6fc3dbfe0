// The first outcome of a page loads its texts. So that a test need not wait for them, each outcome is like the second
// one here. The tests in late-messages.test.ts and lost-messages.test.ts have none of these files.
// These modules are internal.
/* eslint-disable @typescript-eslint/no-restricted-imports */
import { loadOutcomeView } from "../../../dist/elements/oidc-callback/view.js";
import { loadErrorMessages } from "../../../dist/errors/load-error-messages.js";

await Promise.all([loadErrorMessages(), loadOutcomeView()]);
