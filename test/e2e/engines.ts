// The end-to-end tests that an engine can change, in one process with one browser. Which files a page loads is the same in all.
import "./csp.test.js";
import "./demo.test.js";
import "./legacy.test.js";
import "./matrix-login.test.js";
import "./media.test.js";
import "./popup.test.js";
import "./session.test.js";
import "./sign-in.test.js";
import "./uia.test.js";
