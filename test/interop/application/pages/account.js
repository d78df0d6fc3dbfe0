// An app's account page. It restores the stored session, or `page.signIn` starts one.
import { LegacySession, restoreSession } from "/dist/cdn/core.js";

const account = document.querySelector("matrix-account");
window.changes = [];
window.page = { signIn: (result) => (account.session = new LegacySession(result)) };
account.addEventListener("matrix-account-change", ({ detail }) => window.changes.push(detail));
account.session = await restoreSession({ store: "localStorage" });
window.isReady = true;
