// First: it takes a sign-in's response from the URL before the router reads that. And before
// anything is rendered: Vue then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/vue";
import { createApp } from "vue";
import App from "./App.vue";
import { router } from "./router";
import "./style.css";

createApp(App).use(router).mount("#app");
