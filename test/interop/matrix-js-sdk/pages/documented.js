// The app of docs/get-started/matrix-js-sdk.md, with the matrix-js-sdk version in the path.
import html from "documented:html";

const VERSIONS = {
  "/34": () => import("documented:34"),
  "/41": () => import("documented:41"),
  "/43": () => import("documented:43"),
};

document.body.innerHTML = html;
await VERSIONS[location.pathname]?.();
