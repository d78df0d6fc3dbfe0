// The app after a sign-in, with the stored session. The query names the store, ?store=localStorage,
// and the build, ?build=/newer/core.js
const query = new URLSearchParams(location.search);
const core = await import(query.get("build") ?? "/dist/cdn/core.js");
const store = query.get("store");
window.core = core;
window.events = [];
window.hold = (session) => {
  window.session = session;
  for (const type of ["session-changed", "session-ended"]) {
    session?.addEventListener(type, ({ detail }) => window.events.push({ type, ...detail }));
  }
};
window.whoami = () =>
  new core.HomeserverClient({
    baseUrl: window.session.homeserverUrl,
    session: window.session,
  }).whoami();
document.querySelector("#duplicate").href = location.href;
// If the browser blocks the store, no user is signed in.
window.hold(await core.restoreSession({ store }).catch(() => undefined));
window.isReady = true;
