// This comes first, to take a sign-in's response from the URL before the router reads it. It also comes
// before the first rendering: Svelte then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/svelte";
import { mount } from "svelte";
import App from "./App.svelte";
import "./style.css";

mount(App, { target: document.body });
