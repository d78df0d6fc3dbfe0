// Imports Lit where there might be no page. The first module of an entry that imports Lit must
// import this before it: the module of each element, and the first screen of <matrix-login>.
import { removeStandIns } from "./dom-stand-ins.js";
import "lit";

removeStandIns();
