import { bootstrapApplication } from "@angular/platform-browser";
import { begin } from "../../contract";
import { ContractPage, shown } from "./contract-page";

void begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  async mount(first) {
    shown.set(first);
    await bootstrapApplication(ContractPage);
    return (next) => shown.set(next);
  },
});
