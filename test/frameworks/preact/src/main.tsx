// Before anything is rendered: Preact then sets properties, not attributes.
import "matrix-auth-elements/define";
import { render } from "preact";
import { App } from "./App";
import "./style.css";

render(<App />, document.body);
