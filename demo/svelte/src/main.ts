// This comes first, to take a sign-in's response from the URL before the router reads it. The routes load the
// elements.
import "matrix-auth-elements/capture";
import "matrix-auth-elements/types/svelte";
import { mount } from "svelte";
import App from "./App.svelte";
import "./style.css";

mount(App, { target: document.body });
