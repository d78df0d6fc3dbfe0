import { mergeConfig } from "vite";
import app from "../vite.config.ts";

export default mergeConfig(app, { base: "./" });
