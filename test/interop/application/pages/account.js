// An app's account page. It continues with the session that is stored, or with who signs in by
// `page.signIn`.
import { LegacySession, restoreSession } from "/dist/cdn/core.js";

const account = document.querySelector("matrix-account");
window.changes = [];
window.page = { signIn: (result) => (account.session = new LegacySession(result)) };
account.addEventListener("matrix-account-change", ({ detail }) => window.changes.push(detail));
account.session = await restoreSession({ store: "localStorage" });
window.isReady = true;
