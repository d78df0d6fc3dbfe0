import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig(({ isSsrBuild = false }) => ({
  base: "./",
  plugins: [solid({ ssr: isSsrBuild })],
  // contract.ts is in the parent folder.
  server: { fs: { allow: [".."] } },
}));
