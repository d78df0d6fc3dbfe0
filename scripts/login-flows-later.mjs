import { later } from "./later.mjs";

export const fetchLoginFlows = later(
  async () => (await import("../dist/core/homeserver/fetch-login-flows.js")).fetchLoginFlows,
);
