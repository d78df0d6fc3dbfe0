import { createRouter, createWebHistory } from "vue-router";
import Devices from "./Devices.vue";
import { isSignedIn } from "./session";
import SignIn from "./SignIn.vue";

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/login", component: SignIn },
    { path: "/devices", component: Devices },
    { path: "/:rest(.*)", redirect: "/devices" },
  ],
});

router.beforeEach((to) => {
  if (to.path === "/login" || isSignedIn()) return true;
  // The path as in the address bar: with the base path, or with the `#` of createWebHashHistory().
  return { path: "/login", query: { returnTo: router.resolve(to.fullPath).href } };
});
