import { accountsContract } from "./accounts.js";
import { demo } from "./demo.js";

accountsContract(demo);
