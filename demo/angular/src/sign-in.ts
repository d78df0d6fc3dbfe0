import "matrix-auth-elements/define";
import { Component, CUSTOM_ELEMENTS_SCHEMA, inject, signal } from "@angular/core";
import { ActivatedRoute, Router } from "@angular/router";
import { errorText } from "matrix-auth-elements";
import { enterByPassword } from "./account";
import { routeOf } from "./session";

@Component({
  selector: "app-sign-in",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <main>
      <h1>Sign in</h1>
      <label>
        Homeserver
        <input
          #typed
          name="homeserver"
          list="demo"
          autocapitalize="none"
          (input)="homeserver.set(typed.value.trim())"
        />
      </label>
      <datalist id="demo">
        <option value="localhost:8008">OAuth 2.0</option>
        <option value="localhost:8009">passwords</option>
      </datalist>

      <oidc-login
        [homeserver]="homeserver()"
        [disabled]="!homeserver()"
        [returnTo]="returnTo"
        client-name="Angular demo"
        redirect-uri="/"
      >
        Continue with your homeserver
        <form
          slot="error-oidc_not_supported"
          (submit)="onPassword($event, user.value, password.value)"
        >
          <label>User <input #user name="user" autocomplete="username" required /></label>
          <label>
            Password
            <input
              #password
              name="password"
              type="password"
              autocomplete="current-password"
              required
            />
          </label>
          <button>Sign in with a password</button>
        </form>
      </oidc-login>
      @if (problem()) {
        <p class="problem" role="alert">{{ problem() }}</p>
      }
    </main>
  `,
})
export class SignIn {
  readonly #router = inject(Router);
  protected readonly returnTo =
    inject(ActivatedRoute).snapshot.queryParamMap.get("returnTo") ?? undefined;
  protected readonly homeserver = signal("");
  protected readonly problem = signal("");

  protected async onPassword(event: Event, user: string, password: string): Promise<void> {
    event.preventDefault();
    this.problem.set("");
    try {
      await enterByPassword(this.homeserver(), user, password);
      await this.#router.navigateByUrl(routeOf(this.returnTo), { replaceUrl: true });
    } catch (error) {
      this.problem.set(await errorText(error));
    }
  }
}
