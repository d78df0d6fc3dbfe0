// The end-to-end tests of `npm test`, in one process with one browser: loading what they import takes as long as some of them.
import "./legacy.test.js";
import "./loading.test.js";
import "./matrix-login.test.js";
import "./popup.test.js";
import "./session.test.js";
import "./sign-in.test.js";
import "./uia.test.js";
