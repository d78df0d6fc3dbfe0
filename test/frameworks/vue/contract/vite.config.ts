import { mergeConfig } from "vite";
import app from "../../../../demo/vue/vite.config.ts";

export default mergeConfig(app, { base: "./" });
