import "matrix-auth-elements/define";
import {
  Component,
  CUSTOM_ELEMENTS_SCHEMA,
  signal,
  viewChild,
  type ElementRef,
  type OnInit,
} from "@angular/core";
import { errorText, type UiaDialogElement } from "matrix-auth-elements";
import type { Device } from "matrix-auth-elements/core";
import { openAccount, type Account } from "./account";
import { signOut } from "./session";

@Component({
  selector: "app-devices",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <main>
      @if (account(); as present) {
        <h1>Hello, {{ present.userId }}.</h1>
        @if (present.accountPage) {
          <p>
            Sign devices out on
            <a [href]="present.accountPage" target="_blank">your provider’s page</a>.
          </p>
        }
        <ul>
          @for (device of devices(); track device.device_id) {
            <li>
              {{ nameOf(device) }}
              @if (device.device_id === present.deviceId) {
                (this one)
              } @else if (!present.accountPage) {
                <button (click)="signOutDevice(present, device)">
                  Sign out {{ nameOf(device) }}
                </button>
              }
            </li>
          }
        </ul>
      }
      <button id="leave" (click)="signOut()">Sign out</button>
      @if (problem()) {
        <p class="problem" role="alert">{{ problem() }}</p>
      }
      <uia-dialog #dialog [client]="account()?.client">
        <p slot="description">To sign out {{ leaving() }}, confirm it’s you.</p>
      </uia-dialog>
    </main>
  `,
})
export class Devices implements OnInit {
  protected readonly account = signal<Account | undefined>(undefined);
  protected readonly devices = signal<readonly Device[]>([]);
  protected readonly leaving = signal("");
  protected readonly problem = signal("");
  private readonly dialog = viewChild.required<ElementRef<UiaDialogElement>>("dialog");

  ngOnInit(): void {
    this.#show().catch(async (error) => this.problem.set(await errorText(error)));
  }

  protected nameOf({ display_name, device_id }: Device): string {
    return String(display_name ?? device_id);
  }

  protected async signOutDevice({ client }: Account, device: Device): Promise<void> {
    this.leaving.set(this.nameOf(device));
    this.problem.set("");
    try {
      await this.dialog().nativeElement.authenticate((auth) =>
        client.deleteDevice(device.device_id, auth),
      );
      await this.#show();
    } catch (error) {
      this.problem.set(await errorText(error));
    }
  }

  protected readonly signOut = signOut;

  async #show(): Promise<void> {
    const account = await openAccount();
    this.account.set(account);
    this.devices.set((await account.client.getDevices()).devices);
  }
}
