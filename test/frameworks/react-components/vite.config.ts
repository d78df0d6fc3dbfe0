import { defineConfig } from "vite";

export default defineConfig(({ mode }) => ({
  base: "./",
  build: { outDir: `dist/${mode}` },
  resolve: {
    // React in its strict mode does all twice where it is built for development; Lit then has a lot to say.
    conditions: ["module", "browser", "production"],
    alias: mode === "react-19" ? { react: "react-19", "react-dom": "react-dom-19" } : {},
  },
}));
