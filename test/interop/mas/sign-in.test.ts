// The elements sign in to a Synapse that delegates to Matrix Authentication Service.
import { beforeEach } from "node:test";
import type { Tab } from "../../e2e/driver/driver.js";
import {
  choiceFlows,
  deviceFlows,
  sessionFlows,
  signInFlows,
  type FlowContext,
} from "../../e2e/login-flows.js";
import { describeMas } from "./testbed.js";

/** The table of operations has no column for this provider, which CI may lack. */
const recordOperation = (): void => undefined;

describeMas("Signing in with Matrix Authentication Service", (given) => {
  let tab: Tab;
  beforeEach(async () => {
    tab = await given.profile.newTab();
    given.bed.takeRequests();
  });

  const flow = (): FlowContext => ({ ...given, servers: given.bed.loginAs(given.user), tab });
  signInFlows(flow, recordOperation);
  choiceFlows(flow, recordOperation);
  sessionFlows(flow, recordOperation);
  deviceFlows(flow, recordOperation);
});
