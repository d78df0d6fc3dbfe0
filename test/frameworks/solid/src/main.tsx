import "matrix-auth-elements/define";
import "matrix-auth-elements/types/solid";
import { render } from "solid-js/web";
import { App } from "./App";
import "./style.css";

render(() => <App />, document.body);
