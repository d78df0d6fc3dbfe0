import { Location } from "@angular/common";
import { inject } from "@angular/core";
import { Router, type CanActivateFn, type Routes } from "@angular/router";
import { Devices } from "./devices";
import { isSignedIn } from "./session";
import { SignIn } from "./sign-in";

const signedIn: CanActivateFn = (_, { url }) => {
  // The path as in the address bar: with the base path, or with the `#` of withHashLocation().
  const returnTo = inject(Location).prepareExternalUrl(url);
  return isSignedIn() || inject(Router).createUrlTree(["/login"], { queryParams: { returnTo } });
};

export const routes: Routes = [
  { path: "login", component: SignIn },
  { path: "devices", component: Devices, canActivate: [signedIn] },
  { path: "**", redirectTo: "devices" },
];
