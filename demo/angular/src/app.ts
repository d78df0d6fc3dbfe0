import { Component, CUSTOM_ELEMENTS_SCHEMA, inject } from "@angular/core";
import { Router, RouterOutlet } from "@angular/router";
import type { MatrixLoginSuccessEvent } from "matrix-auth-elements";
import { routeOf, sessions } from "./session";

@Component({
  selector: "app-root",
  imports: [RouterOutlet],
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <oidc-callback quiet persist="local" (matrix-login-success)="onSuccess($event)"></oidc-callback>
    <router-outlet />
  `,
})
export class App {
  readonly #router = inject(Router);

  constructor() {
    const leave = () => void this.#router.navigateByUrl("/login", { replaceUrl: true });
    sessions.addEventListener("session-ended", leave);
  }

  protected onSuccess(event: MatrixLoginSuccessEvent): void {
    // The router navigates without a reload.
    event.preventDefault();
    void this.#router.navigateByUrl(routeOf(event.detail.returnTo), { replaceUrl: true });
  }
}
