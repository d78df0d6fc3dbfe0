// The site from the documentation: its pages are README.md, the other documents at the root, and docs/.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transformerStyleToClass } from "@shikijs/transformers";
import { navigation, pagesOf } from "../../docs/nav.mjs";
import { withPolicy } from "../policy.mjs";
import { asOnGitHub, slug } from "../markdown.mjs";
import { ICON, project, repository, sidebar } from "../source.mjs";
import { searchable, themeChanges } from "../theme-changes.mjs";

// A policy without 'unsafe-inline' for styles allows no style attributes.
const colors = transformerStyleToClass({ classPrefix: "code-" });
const COLORS = "code-colors.css";

/** The pages are outside the folder with Vue, so the renderer imports Vue at run time. */
const vueAtRunTime = {
  name: "vue-at-run-time",
  enforce: "pre",
  resolveId: (id, _, { ssr }) =>
    ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined,
};

const descriptions = new Map(
  pagesOf(navigation).map(({ path, description }) => [path, description]),
);

export default {
  title: project.name,
  description: project.description,
  srcDir: "../..",
  srcExclude: ["!(docs)/**/*"],
  rewrites: { "README.md": "index.md" },
  outDir: "../../dist/site",
  // Scripts in files need no hash in the policy.
  metaChunk: true,
  lang: "en",
  appearance: { disableTransition: false }, // That would be an inline style.
  contentProps: { class: "content" }, // Instead of a style attribute.
  // The sidebar links to every page.
  router: { prefetchLinks: false },
  head: [["link", { rel: "icon", type: "image/svg+xml", href: ICON }]],
  markdown: {
    anchor: { slugify: slug },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    attrs: { disable: true },
    codeTransformers: [colors],
    config: asOnGitHub,
  },
  vite: {
    publicDir: false,
    build: { assetsInlineLimit: 0 },
    plugins: [vueAtRunTime, themeChanges],
  },
  transformHead: ({ siteData, title, description }) => [
    ["link", { rel: "stylesheet", href: `${siteData.base}${COLORS}` }],
    ["meta", { property: "og:type", content: "website" }],
    ["meta", { property: "og:title", content: title }],
    ["meta", { property: "og:description", content: description }],
  ],
  transformPageData: ({ filePath, frontmatter }) => ({
    description: descriptions.get(filePath),
    // Their tables need the space of the outline.
    ...(filePath.startsWith("docs/reference/") && {
      frontmatter: { ...frontmatter, aside: false, pageClass: "reference" },
    }),
    ...(filePath === "README.md" && { frontmatter: { ...frontmatter, pageClass: "front" } }),
  }),
  transformHtml: withPolicy,
  buildEnd: ({ outDir }) => writeFile(join(outDir, COLORS), colors.getCSS()),
  themeConfig: {
    logo: { src: ICON, alt: "" },
    sidebar,
    nav: [
      { text: "Quick start", link: "/#quick-start" },
      { text: "Playground", link: "/playground/", target: "_self" },
      { text: project.version, link: "/CHANGELOG" },
    ],
    outline: [2, 3],
    notFound: {
      title: "Page not found",
      quote: "",
      linkText: "Go to the home page",
      linkLabel: "Go to the home page",
    },
    search: {
      provider: "local",
      // The detailed view shows pages inside another, where their links are wrong.
      options: { disableDetailedView: true, _render: searchable },
    },
    ...(repository && {
      socialLinks: [{ icon: "github", link: repository }],
      editLink: { pattern: `${repository}/blob/HEAD/:path`, text: "The source of this page" },
    }),
  },
};
