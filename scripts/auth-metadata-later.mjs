import { later } from "./later.mjs";

export const fetchAuthMetadata = later(
  async () => (await import("../dist/core/homeserver/auth-metadata.js")).fetchAuthMetadata,
);
