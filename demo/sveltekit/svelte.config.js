import adapter from "@sveltejs/adapter-static";

export default {
  kit: {
    // One page serves every path, on any server for static files.
    adapter: adapter({ pages: "dist", fallback: "index.html" }),
    // SvelteKit starts with a script in the page, and adds its hash.
    csp: { directives: { "script-src": ["self"] } },
  },
};
