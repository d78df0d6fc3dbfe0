// The paths of the pages' modules, because nothing is bundled here. This is a classic script, because an
// import map must come before the first module.
const imports = {
  "matrix-auth-elements": "/dist/index.js",
  "matrix-auth-elements/core": "/dist/core/index.js",
  "matrix-auth-elements/define": "/dist/define/index.js",
  "@lit/context": "/node_modules/@lit/context/index.js",
  "@lit/reactive-element": "/node_modules/@lit/reactive-element/reactive-element.js",
  "@noble/ed25519": "/node_modules/@noble/ed25519/index.js",
  "libphonenumber-js/min": "/node_modules/libphonenumber-js/min/index.js",
  "lean-qr": "/node_modules/lean-qr/index.mjs",
  "lean-qr/extras/svg": "/node_modules/lean-qr/extras/svg.mjs",
  lit: "/node_modules/lit/index.js",
  "lit/": "/node_modules/lit/",
  "lit-element/lit-element.js": "/node_modules/lit-element/lit-element.js",
  "lit-html": "/node_modules/lit-html/lit-html.js",
  "lit-html/": "/node_modules/lit-html/",
  oauth4webapi: "/node_modules/oauth4webapi/build/index.js",
};
const map = Object.assign(document.createElement("script"), { type: "importmap" });
map.textContent = JSON.stringify({ imports });
document.currentScript.replaceWith(map);
