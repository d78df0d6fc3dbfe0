import { defineConfig } from "vite";

export default defineConfig({
  root: "pages",
  base: "./",
  // Of version 34 alone.
  define: { global: "globalThis" },
  build: { outDir: "../dist", emptyOutDir: true, target: "es2022", chunkSizeWarningLimit: 10_000 },
});
