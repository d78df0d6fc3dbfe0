// This comes first, to take a sign-in's response from the URL before the router reads it. The routes load the
// elements.
import "matrix-auth-elements/capture";
import { bootstrapApplication } from "@angular/platform-browser";
import { provideRouter } from "@angular/router";
import { App } from "./app";
import { routes } from "./routes";

bootstrapApplication(App, { providers: [provideRouter(routes)] }).catch((error) =>
  console.error(error),
);
