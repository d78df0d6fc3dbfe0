import { contract } from "./contract.js";
import { synapse } from "./synapse.js";

contract(synapse);
