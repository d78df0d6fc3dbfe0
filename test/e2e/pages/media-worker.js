importScripts("/dist/cdn/service-worker.global.js");
MatrixAuthElements.authenticateMedia();
// The worker takes effect on the first page without a reload.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
