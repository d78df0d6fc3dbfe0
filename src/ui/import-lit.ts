// Imports Lit where there might be no page. Whatever imports Lit first on an entry's way imports
// this before it: each element's own module does, and so does the first screen of <matrix-login>.
import { removeStandIns } from "./dom-stand-ins.js";
import "lit";

removeStandIns();
