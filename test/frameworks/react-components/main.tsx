import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { begin } from "../contract";
import { useMatrixSession } from "matrix-auth-elements/react";
import { Contract } from "./Contract";

let renders = 0;

/** Has a store that it makes in each render. */
function InlineStore() {
  renders++;
  const session = useMatrixSession({
    store: {
      getItem: (key) => localStorage.getItem(key),
      setItem: (key, value) => localStorage.setItem(key, value),
      removeItem: (key) => localStorage.removeItem(key),
    },
  });
  return <p id="session">{session === null ? "signed out" : "loading"}</p>;
}

Object.assign(window, {
  showInlineStore: () =>
    createRoot(document.body.appendChild(document.createElement("div"))).render(<InlineStore />),
  renders: () => renders,
});

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
