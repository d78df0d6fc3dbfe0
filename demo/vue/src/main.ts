// This comes first, to take a sign-in's response from the URL before the router reads it. The routes load the
// elements.
import "matrix-auth-elements/capture";
import "matrix-auth-elements/types/vue";
import { createApp } from "vue";
import App from "./App.vue";
import { router } from "./router";
import "./style.css";

createApp(App).use(router).mount("#app");
