import "matrix-auth-elements/define";
import "matrix-auth-elements/types/react-18";
import type { OidcLoginElement } from "matrix-auth-elements";
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { useElement } from "./use-element";

function Page() {
  const [error, setError] = useState("none");
  const login = useElement<OidcLoginElement>(
    { clientMetadata: { clientName: `After ${error}` } },
    { "oidc-error": ({ detail }) => setError(detail.code) },
  );
  return (
    <>
      <oidc-login
        ref={login}
        class="wide"
        homeserver="https://["
        client-id="client"
        disabled={false}
        onClick={() => void login.current?.prepare()}
      >
        Sign in
      </oidc-login>
      <p>{error}</p>
    </>
  );
}

const root = document.querySelector("#app");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
