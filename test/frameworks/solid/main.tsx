import { createSignal } from "solid-js";
import { render } from "solid-js/web";
import { begin } from "../contract";
import { Contract } from "./Contract";

await begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  mount(first) {
    const [shown, setShown] = createSignal(first);
    render(() => <Contract shown={shown()} />, document.querySelector("#app") ?? document.body);
    return setShown;
  },
});
