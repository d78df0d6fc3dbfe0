// A worker, or a service worker, that imports the package.
import "matrix-auth-elements";
import "matrix-auth-elements/define";
import "matrix-auth-elements/capture";
import "matrix-auth-elements/locales/de";
import "matrix-auth-elements/matrix-js-sdk";
import "matrix-auth-elements/service-worker";
import "matrix-auth-elements/testing";
import { HomeserverClient } from "matrix-auth-elements/core";

addEventListener("message", ({ ports: [port] }: MessageEvent) => {
  const { baseUrl } = new HomeserverClient({ baseUrl: "https://hs.example" });
  const globals = ["HTMLElement", "document"].filter((name) => name in globalThis);
  port?.postMessage({ baseUrl, globals });
});
