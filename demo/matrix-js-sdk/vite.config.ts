import { defineConfig } from "vite";

export default defineConfig({
  build: { target: "es2022", chunkSizeWarningLimit: 2000 },
  // Else the development server sends a page instead of its WebAssembly.
  optimizeDeps: { exclude: ["@matrix-org/matrix-sdk-crypto-wasm"] },
});
