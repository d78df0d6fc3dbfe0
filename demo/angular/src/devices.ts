import {
  Component,
  CUSTOM_ELEMENTS_SCHEMA,
  input,
  signal,
  viewChild,
  type ElementRef,
  type OnInit,
} from "@angular/core";
import type { UiaDialogElement } from "matrix-auth-elements";
import type { Device } from "matrix-auth-elements/core";
import { messageOf, type Session } from "./session";

@Component({
  selector: "app-devices",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <main>
      <h1>Hello, {{ session().userId }}.</h1>
      @if (session().accountPage) {
        <p>
          Sign devices out on
          <a [href]="session().accountPage" target="_blank">your provider’s page</a>.
        </p>
      }
      <ul>
        @for (device of devices(); track device.device_id) {
          <li>
            {{ nameOf(device) }}
            @if (device.device_id === session().deviceId) {
              (this one)
            } @else if (!session().accountPage) {
              <button (click)="signOut(device)">Sign out {{ nameOf(device) }}</button>
            }
          </li>
        }
      </ul>
      @if (problem()) {
        <p class="problem" role="alert">{{ problem() }}</p>
      }
      <uia-dialog #dialog [client]="session().client">
        <p slot="description">To sign out {{ leaving() }}, confirm it’s you.</p>
      </uia-dialog>
    </main>
  `,
})
export class Devices implements OnInit {
  readonly session = input.required<Session>();
  protected readonly devices = signal<readonly Device[]>([]);
  protected readonly leaving = signal("");
  protected readonly problem = signal("");
  private readonly dialog = viewChild.required<ElementRef<UiaDialogElement>>("dialog");

  ngOnInit(): void {
    this.#show().catch((error) => this.problem.set(messageOf(error)));
  }

  protected nameOf({ display_name, device_id }: Device): string {
    return String(display_name ?? device_id);
  }

  protected async signOut(device: Device): Promise<void> {
    const { client } = this.session();
    this.leaving.set(this.nameOf(device));
    this.problem.set("");
    try {
      await this.dialog().nativeElement.authenticate((auth) =>
        client.deleteDevice(device.device_id, auth),
      );
      await this.#show();
    } catch (error) {
      this.problem.set(messageOf(error));
    }
  }

  async #show(): Promise<void> {
    this.devices.set((await this.session().client.getDevices()).devices);
  }
}
