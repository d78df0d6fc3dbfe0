import { contract } from "../../contract/contract.js";
import { dendrite } from "./contract.js";

contract(dendrite);
