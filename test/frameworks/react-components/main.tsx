import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { begin } from "../contract";
import { Contract } from "./Contract";

await begin({
  define: () => import("matrix-auth-elements/define"),
  provideAuthClient: async () => (await import("matrix-auth-elements")).provideAuthClient,
  mount(first) {
    const root = createRoot(document.querySelector("#app") ?? document.body);
    const render = (shown: typeof first): void =>
      root.render(
        <StrictMode>
          <Contract shown={shown} />
        </StrictMode>,
      );
    render(first);
    return render;
  },
});
