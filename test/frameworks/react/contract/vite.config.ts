import { mergeConfig } from "vite";
import app from "../../../../demo/react/vite.config.ts";

export default mergeConfig(app, {
  base: "./",
  // React in its strict mode does all twice where it is built for development; Lit then has a lot to say.
  resolve: { conditions: ["module", "browser", "production"] },
});
