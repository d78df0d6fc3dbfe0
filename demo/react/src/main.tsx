// This comes first, to take a sign-in's response from the URL before the router reads it.
import "matrix-auth-elements/react";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { HashRouter } from "react-router";
import { App } from "./App";
import "./style.css";

const root = document.querySelector("#app");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <HashRouter>
        <App />
      </HashRouter>
    </StrictMode>,
  );
}
