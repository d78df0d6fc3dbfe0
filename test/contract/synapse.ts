import { startScenario } from "../interop/synapse/scenarios.js";
import { isForeign } from "../interop/synapse/synapse.js";
import type { Kind } from "./homeserver.js";

export const synapse: Kind = {
  name: "Synapse",
  skip: (scenario) =>
    isForeign && scenario !== "as it is installed"
      ? "SYNAPSE_URL names a Synapse whose settings are not the tests' to change"
      : false,
  start: startScenario,
};
