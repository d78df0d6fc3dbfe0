import { mergeConfig } from "vite";
import app from "../../../../demo/react/vite.config.ts";

export default mergeConfig(app, {
  base: "./",
  // The development build of React's strict mode renders twice, which Lit warns about.
  resolve: { conditions: ["module", "browser", "production"] },
});
