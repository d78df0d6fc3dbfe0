// What the demo's provider imitates, at the real one.
import { providerContract } from "../../contract/provider.js";
import { describeMas } from "./testbed.js";

describeMas("Matrix Authentication Service, without a user", (given) => {
  providerContract(() => ({
    async metadata() {
      const response = await fetch(`${given.bed.issuer}.well-known/openid-configuration`);
      return (await response.json()) as Readonly<Record<string, unknown>>;
    },
  }));
});
