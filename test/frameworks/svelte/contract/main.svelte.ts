import { mount } from "svelte";
import { begin } from "../../contract";
import Contract from "./Contract.svelte";

await begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  mount(first) {
    // Svelte's state is a proxy, and so are the objects in it that elements get.
    const props = $state({ shown: first });
    mount(Contract, { target: document.querySelector("#app") ?? document.body, props });
    return (next) => {
      props.shown = next;
    };
  },
});
