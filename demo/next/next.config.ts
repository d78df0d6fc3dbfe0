import type { NextConfig } from "next";

export default {
  // This folder, even in a repository with its own packages.
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
