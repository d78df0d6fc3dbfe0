import { accountsContract } from "./accounts.js";
import { synapse } from "./synapse.js";

accountsContract(synapse);
