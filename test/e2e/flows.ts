// The end-to-end tests of `npm test`. Each engine runs them in one process with one browser, which the files share.
import "./loading.test.js";
import "./matrix-login.test.js";
import "./popup.test.js";
import "./session.test.js";
import "./sign-in.test.js";
import "./uia.test.js";
