import { createApp, h, shallowRef } from "vue";
import { begin } from "../../contract";
import Contract from "./Contract.vue";

await begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  mount(first) {
    const shown = shallowRef(first);
    createApp({ render: () => h(Contract, { shown: shown.value }) }).mount("#app");
    return (next) => (shown.value = next);
  },
});
