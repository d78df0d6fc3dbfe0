import { defineConfig } from "vite";

export default defineConfig({
  build: { target: "es2022", chunkSizeWarningLimit: 2000 },
  // Otherwise the development server responds with a page instead of the WebAssembly file.
  optimizeDeps: { exclude: ["@matrix-org/matrix-sdk-crypto-wasm"] },
});
