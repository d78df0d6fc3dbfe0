import { defineConfig } from "astro/config";

export default defineConfig({ redirects: { "/": "/devices" } });
