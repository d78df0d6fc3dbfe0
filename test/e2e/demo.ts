// The end-to-end tests of the demo's pages, of each content security policy, the hashes of files, and of the service worker for media.
import "./csp.test.js";
import "./demo.test.js";
import "./integrity.test.js";
import "./media.test.js";
