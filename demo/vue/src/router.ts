import { createRouter, createWebHistory } from "vue-router";
import { isSignedIn } from "./session";

export const router = createRouter({
  history: createWebHistory(),
  routes: [
    { path: "/login", component: () => import("./SignIn.vue") },
    { path: "/devices", component: () => import("./Devices.vue") },
    { path: "/:rest(.*)", redirect: "/devices" },
  ],
});

router.beforeEach((to) => {
  if (to.path === "/login" || isSignedIn()) return true;
  // The path as in the address bar: with the base path, or with the `#` of createWebHashHistory().
  return { path: "/login", query: { returnTo: router.resolve(to.fullPath).href } };
});
