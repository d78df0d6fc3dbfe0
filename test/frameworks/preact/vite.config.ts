import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [preact()],
  // Of contract.ts, while it is developed.
  server: { fs: { allow: [".."] } },
});
