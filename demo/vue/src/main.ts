// This comes first, to take a sign-in's response from the URL before the router reads it. It also comes
// before the first rendering: Vue then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/vue";
import { createApp } from "vue";
import App from "./App.vue";
import { router } from "./router";
import "./style.css";

createApp(App).use(router).mount("#app");
