// Before anything is rendered: React then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./style.css";

const root = document.querySelector("#app");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
