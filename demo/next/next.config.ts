import type { NextConfig } from "next";

export default {
  // The root is this folder, even in a repository with other packages.
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
