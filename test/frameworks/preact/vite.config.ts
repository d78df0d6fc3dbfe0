import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [preact()],
  // contract.ts is in the parent folder.
  server: { fs: { allow: [".."] } },
});
