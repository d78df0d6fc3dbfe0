import type { NextConfig } from "next";

export default {
  // This folder, also within a repository that has packages of its own.
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
