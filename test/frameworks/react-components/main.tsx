import { StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { begin } from "../contract";
import { LegacySession } from "matrix-auth-elements/core";
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

/** What each render of an account has shown. */
const shown: string[] = [];

function Account({ name }: { readonly name: string }) {
  const session = useMatrixSession({ key: name });
  const text = `${name}: ${session?.user.userId ?? "loading"}`;
  shown.push(text);
  return <p id="account-session">{text}</p>;
}

let accounts: Root | undefined;

Object.assign(window, {
  shown,
  async showAccount(name: string) {
    const user = { userId: `@${name}:hs.example`, deviceId: name, accessToken: name };
    const signIn = { homeserverUrl: "https://hs.example", ...user };
    await new LegacySession(signIn, { store: "localStorage", key: name }).stored;
    accounts ??= createRoot(document.body.appendChild(document.createElement("div")));
    accounts.render(<Account name={name} />);
  },
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
