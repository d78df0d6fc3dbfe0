import { mergeConfig } from "vite";
import app from "../../../../demo/svelte/vite.config.ts";

export default mergeConfig(app, { base: "./" });
