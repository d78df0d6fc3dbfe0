import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

/** `documented:html` and, for each version, `documented:34`: the files of docs/get-started/matrix-js-sdk.md. */
function documented() {
  const guide = readFileSync(
    new URL("../../../docs/get-started/matrix-js-sdk.md", import.meta.url),
    "utf8",
  );
  const [, html] = /<!-- index\.html -->[^]*?<body>([^]*?)<script/.exec(guide);
  const [, script] = /(\/\/ src\/main\.ts\n[^]*?)```/.exec(guide);
  return {
    name: "documented",
    resolveId: (id) => (id.startsWith("documented:") ? `\0${id}` : null),
    load(id) {
      const [, what] = /^\0documented:(\w+)$/.exec(id) ?? [];
      if (what === "html") return `export default ${JSON.stringify(html)};`;
      if (what === undefined) return null;
      return {
        code: script.replace('"matrix-js-sdk"', `"matrix-js-sdk-${what}"`),
        moduleType: "ts",
      };
    },
  };
}

export default defineConfig({
  root: "pages",
  base: "./",
  plugins: [documented()],
  // Only version 34 needs it.
  define: { global: "globalThis" },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: { input: ["pages/client.html", "pages/documented.html"] },
  },
});
