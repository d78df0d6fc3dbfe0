importScripts("/dist/cdn/service-worker.global.js");
MatrixAuthElements.authenticateMedia();
// So that the first page need not be reloaded.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
