const isCustomElement = (tag: string) => /^(matrix|oidc|uia)-/.test(tag);

export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  telemetry: false,
  srcDir: "src",
  css: ["~/style.css"],
  app: {
    head: {
      title: "matrix-auth-elements with Nuxt",
      htmlAttrs: { lang: "en" },
      meta: [{ name: "referrer", content: "no-referrer" }],
      link: [{ rel: "icon", href: "/icon.svg" }],
    },
  },
  vue: { compilerOptions: { isCustomElement } },
  routeRules: {
    // A server has no session, so the browser renders the pages behind the guard.
    "/": { ssr: false },
    "/devices": { ssr: false },
  },
  typescript: { strict: true },
});
