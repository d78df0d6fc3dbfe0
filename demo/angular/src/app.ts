import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from "@angular/core";
import type { OidcSuccessEvent } from "matrix-auth-elements";
import { Devices } from "./devices";
import { messageOf, openIdSession, passwordSession, type Session } from "./session";

@Component({
  selector: "app-root",
  imports: [Devices],
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    @if (session(); as present) {
      <app-devices [session]="present" />
    } @else {
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
          client-name="Angular demo"
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
        <oidc-callback (oidc-success)="onSuccess($event)"></oidc-callback>
        @if (problem()) {
          <p class="problem" role="alert">{{ problem() }}</p>
        }
      </main>
    }
  `,
})
export class App {
  protected readonly homeserver = signal("");
  protected readonly problem = signal("");
  protected readonly session = signal<Session | undefined>(undefined);

  protected onSuccess({ detail }: OidcSuccessEvent): void {
    void this.#enter(openIdSession(detail));
  }

  protected onPassword(event: Event, user: string, password: string): void {
    event.preventDefault();
    void this.#enter(passwordSession(this.homeserver(), user, password));
  }

  async #enter(entering: Promise<Session>): Promise<void> {
    this.problem.set("");
    try {
      this.session.set(await entering);
    } catch (error) {
      this.problem.set(messageOf(error));
    }
  }
}
