import { Location } from "@angular/common";
import { inject } from "@angular/core";
import { Router, type CanActivateFn, type Routes } from "@angular/router";
import { isSignedIn } from "./session";

const signedIn: CanActivateFn = (_, { url }) => {
  // The path as in the address bar: with the base path, or with the `#` of withHashLocation().
  const returnTo = inject(Location).prepareExternalUrl(url);
  return isSignedIn() || inject(Router).createUrlTree(["/login"], { queryParams: { returnTo } });
};

export const routes: Routes = [
  { path: "login", loadComponent: async () => (await import("./sign-in")).SignIn },
  {
    path: "devices",
    loadComponent: async () => (await import("./devices")).Devices,
    canActivate: [signedIn],
  },
  { path: "**", redirectTo: "devices" },
];
