// For an application's own service worker: `matrix-auth-elements/service-worker`, and as a classic script
// `dist/cdn/service-worker.global.js`.
export { authenticateMedia, type MediaOptions } from "./authenticate-media.js";
