import { defineConfig } from "vite";
import solid from "vite-plugin-solid";

export default defineConfig(({ isSsrBuild = false }) => ({
  base: "./",
  plugins: [solid({ ssr: isSsrBuild })],
  // Of contract.ts, while it is developed.
  server: { fs: { allow: [".."] } },
}));
