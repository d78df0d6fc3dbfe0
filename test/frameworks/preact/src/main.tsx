// Before anything is rendered: Preact then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/preact";
import { render } from "preact";
import { App } from "./App";
import "./style.css";

render(<App />, document.body);
