// Before anything is rendered: Vue then sets properties, not attributes.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/vue";
import { createApp } from "vue";
import App from "./App.vue";
import "./style.css";

createApp(App).mount("#app");
