import { defineConfig } from "vite";

export default defineConfig(({ mode }) => ({
  base: "./",
  build: { outDir: `dist/${mode}` },
  resolve: {
    // The development build of React's strict mode renders twice, which Lit warns about.
    conditions: ["module", "browser", "production"],
    alias: mode === "react-19" ? { react: "react-19", "react-dom": "react-dom-19" } : {},
  },
}));
