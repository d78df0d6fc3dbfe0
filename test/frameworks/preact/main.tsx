import { render } from "preact";
import { begin } from "../contract";
import { Contract } from "./Contract";

await begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  mount(first) {
    const root = document.querySelector("#app") ?? document.body;
    const show = (shown: typeof first): void => render(<Contract shown={shown} />, root);
    show(first);
    return show;
  },
});
