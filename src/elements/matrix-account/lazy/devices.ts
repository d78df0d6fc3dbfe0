import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { RequestError } from "../../../core/http/errors.js";
import { insert } from "../../../ui/lazy/format-text.js";
import { isComposing } from "../../../ui/lazy/field.js";
import { VisibilityPoller } from "../../../ui/lazy/visibility-poller.js";
import {
  type AccountDevice,
  deviceName,
  deviceNames,
  inOrder,
  lastActiveMs,
  relativeTime,
} from "./device.js";
import { renderPageLink } from "./provider.js";
import { AccountSection, acceptGone, renderButton } from "./section.js";

/**
 * How many are shown at first, and how many more each time: thousands would keep the browser busy.
 */
const PAGE = 50;
/** From how many on users need to search. */
const FILTER_FROM = 20;

interface Renaming {
  readonly id: string;
  /** What the user has typed. */
  value: string;
}

/** The account's devices: to rename, and to sign out. */
export class DevicesSection extends AccountSection {
  readonly name = "devices";
  readonly heading = "devices";
  #devices: readonly AccountDevice[] | undefined;
  #selected: ReadonlySet<string> = new Set();
  #filter = "";
  #shown = PAGE;
  #renaming: Renaming | undefined;
  /** Since the user has gone to the provider's page. */
  #poller: VisibilityPoller | undefined;

  get devices(): readonly AccountDevice[] {
    return this.#devices ?? [];
  }

  override async load(): Promise<void> {
    await this.work(
      async (signal) => {
        const response: unknown = await this.account.client.getDevices({ signal });
        signal.throwIfAborted();
        this.#accept(readDevices(response));
      },
      { state: "loading" },
    );
  }

  override remove(): void {
    super.remove();
    this.#poller?.stop();
  }

  protected override get needsLoad(): boolean {
    return !this.#devices;
  }

  protected override renderContent(): unknown {
    if (!this.#devices) return nothing;
    const found = this.#devices.filter((device) => this.#isFound(device));
    const more = found.length > this.#shown;
    return html`${this.#devices.length >= FILTER_FROM ? this.#renderFilter() : nothing}
      <ul part="list" aria-labelledby="devices-heading">
        ${repeat(
          found.slice(0, this.#shown),
          ({ device_id }) => device_id,
          (device, index) => this.#renderDevice(device, index),
        )}
      </ul>
      ${more ? renderButton({ label: this.term("showMore"), onClick: () => this.#showMore() }) : nothing}
      ${this.account.management === "provider" ? this.#renderPage() : this.#renderAll(found)}`;
  }

  #isFound({ device_id, display_name }: AccountDevice): boolean {
    const sought = this.#filter.trim().toLowerCase();
    return [device_id, display_name].some((text) => text?.toLowerCase().includes(sought));
  }

  #renderFilter(): TemplateResult {
    return html`<div class="uia-fields">
      <label for="filter">${this.term("deviceFilter")}</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        .value=${this.#filter}
        @input=${({ currentTarget }: Event) => {
          this.#filter = (currentTarget as HTMLInputElement).value;
          this.#shown = PAGE;
          this.update();
        }}
      />
    </div>`;
  }

  #renderDevice(device: AccountDevice, index: number): TemplateResult {
    const { device_id: id } = device;
    const isOwn = id === this.account.deviceId;
    const nameId = `device-${index}`;
    if (this.#renaming?.id === id) {
      return html`<li part="item" data-row>${this.#renderRenaming(this.#renaming, index)}</li>`;
    }
    const canSelect = !isOwn && this.account.management === "homeserver";
    return html`<li part="item" data-row>
      ${canSelect ? this.#renderCheckbox(id, nameId) : nothing}
      <div class="about">
        <div>
          <bdi part="device-name" id=${nameId}>${deviceName(device)}</bdi>
          ${isOwn ? html`<span class="badge">${this.term("thisDevice")}</span>` : nothing}
        </div>
        <div part="device-detail">${this.#renderDetail(device)}</div>
      </div>
      <div part="actions">
        ${renderButton({
          label: this.term("rename"),
          id: `rename-${index}`,
          labelledBy: `rename-${index} ${nameId}`,
          busy: this.isBusy,
          onClick: () => this.#rename(device, index),
        })}
        ${this.#renderSignOut(device, index, nameId)}
      </div>
    </li>`;
  }

  #renderCheckbox(id: string, nameId: string): TemplateResult {
    return html`<input
      type="checkbox"
      aria-labelledby=${nameId}
      .checked=${this.#selected.has(id)}
      @change=${({ currentTarget }: Event) => {
        const { checked } = currentTarget as HTMLInputElement;
        const others = [...this.#selected].filter((each) => each !== id);
        this.#selected = new Set(checked ? [...others, id] : others);
        this.update();
      }}
    />`;
  }

  #renderDetail(device: AccountDevice): unknown {
    const { last_seen_ip: ip } = device;
    const ms = lastActiveMs(device);
    const { localize } = this.model.host;
    const time =
      ms === undefined
        ? this.term("neverActive")
        : insert(
            this.term("lastActive"),
            "time",
            html`<time datetime=${new Date(ms).toISOString()}>${relativeTime(localize, ms)}</time>`,
          );
    return html`<span>${time}</span
      >${ip ? html` <bdi dir="ltr">${ip.slice(0, 45)}</bdi>` : nothing}`;
  }

  #renderSignOut(device: AccountDevice, index: number, nameId: string): TemplateResult {
    const id = `sign-out-${index}`;
    const isOwn = device.device_id === this.account.deviceId;
    if (!isOwn && this.account.management === "provider") {
      return renderPageLink(this.model, this.account, "org.matrix.device_delete", {
        label: this.term("signOut"),
        id,
        about: nameId,
        deviceId: device.device_id,
        onOpen: () => this.#watch(),
      });
    }
    return renderButton({
      label: this.term("signOut"),
      id,
      labelledBy: `${id} ${nameId}`,
      kind: "danger",
      busy: this.isBusy,
      onClick: () =>
        void (isOwn
          ? this.work(() => this.model.signOut())
          : this.#signOut([device], this.term("signOut"))),
    });
  }

  /** The provider's list, or who else can sign out a device. */
  #renderPage(): TemplateResult {
    return renderPageLink(this.model, this.account, "org.matrix.devices_list", {
      id: "devices-page",
      about: "devices-heading",
      onOpen: () => this.#watch(),
    });
  }

  /** What is about more than one device. */
  #renderAll(found: readonly AccountDevice[]): unknown {
    const { deviceId } = this.account;
    const others = this.devices.filter((device) => device.device_id !== deviceId);
    const selected = found.filter((device) => this.#selected.has(device.device_id));
    const count = selected.length.toLocaleString(this.model.host.localize.language || "en");
    const label = this.term("signOutSelected").replace("{count}", count);
    const button = (text: string, devices: readonly AccountDevice[]): TemplateResult =>
      renderButton({
        label: text,
        kind: "danger",
        busy: this.isBusy,
        onClick: () => void this.#signOut(devices, text),
      });
    // Of a token without a device, no one knows which one would be left.
    const isOther = deviceId !== undefined && others.length > 0;
    if (!isOther && selected.length === 0) return nothing;
    return html`<div part="actions">
      ${selected.length > 0 ? button(label, selected) : nothing}
      ${isOther ? button(this.term("signOutOthers"), others) : nothing}
    </div>`;
  }

  #showMore(): void {
    // The button may go: the user goes on with the first of those that come.
    this.focus(`rename-${this.#shown}`);
    this.#shown += PAGE;
  }

  async #signOut(devices: readonly AccountDevice[], heading: string): Promise<void> {
    const ids = devices.map(({ device_id }) => device_id);
    const { client } = this.account;
    const description = deviceNames(this.model.host.localize, devices);
    const isDone = await this.confirm(
      async (auth) => client.deleteMultipleDevices(ids, auth).catch(acceptGone),
      { heading, description, destructive: true },
    );
    if (isDone) this.#accept(this.devices.filter(({ device_id }) => !ids.includes(device_id)));
  }

  /** Shows a new list, and reports the devices that are gone. */
  #accept(devices: readonly AccountDevice[]): void {
    const left = new Set(devices.map(({ device_id }) => device_id));
    const gone = this.devices.filter(({ device_id }) => !left.has(device_id));
    this.#devices = inOrder(devices, this.account.deviceId);
    this.#selected = new Set([...this.#selected].filter((id) => left.has(id)));
    if (this.#renaming && !left.has(this.#renaming.id)) this.#renaming = undefined;
    if (gone.length === 0) return;
    const names = deviceNames(this.model.host.localize, gone);
    this.notify(this.term("devicesSignedOut").replace("{devices}", () => names));
    const deviceIds = gone.map(({ device_id }) => device_id);
    this.model.report({ section: "devices", action: "signed-out", deviceIds });
  }

  /** What is done on the provider's page is seen once the user comes back. */
  #watch(): void {
    this.#poller ??= new VisibilityPoller(() => this.load(), Infinity);
  }

  // Renaming

  #rename({ device_id: id, display_name }: AccountDevice, index: number): void {
    this.#renaming = { id, value: display_name ?? "" };
    this.focus(`new-name-${index}`);
  }

  #renderRenaming(renaming: Renaming, index: number): TemplateResult {
    const id = `new-name-${index}`;
    const error = this.state === "error" ? "devices-error" : undefined;
    return html`<div class="uia-fields about">
        <label for=${id}>${this.term("deviceName")}</label>
        <input
          id=${id}
          autocomplete="off"
          dir="auto"
          .value=${renaming.value}
          aria-invalid=${error ? "true" : nothing}
          aria-describedby=${error ?? nothing}
          @input=${({ currentTarget }: Event) => {
            renaming.value = (currentTarget as HTMLInputElement).value;
          }}
          @keydown=${(event: KeyboardEvent) => {
            if (isComposing(event)) return;
            if (event.key === "Enter") void this.#saveName(renaming);
            if (event.key === "Escape") this.#endRenaming(renaming);
          }}
        />
      </div>
      <div part="actions">
        ${renderButton({
          label: this.term("save"),
          kind: "primary",
          busy: this.isBusy,
          onClick: () => void this.#saveName(renaming),
        })}
        ${renderButton({
          label: this.term("cancel"),
          onClick: () => this.#endRenaming(renaming),
        })}
      </div>`;
  }

  async #saveName(renaming: Renaming): Promise<void> {
    const { id } = renaming;
    const display_name = renaming.value.trim();
    const isSaved = await this.work(async (signal) => {
      try {
        await this.account.client.setDeviceDetails(id, { display_name }, { signal });
      } catch (error) {
        acceptGone(error);
        return this.#accept(this.devices.filter(({ device_id }) => device_id !== id));
      }
      signal.throwIfAborted();
      this.#devices = this.devices.map((each) =>
        each.device_id === id ? { ...each, display_name } : each,
      );
      this.model.report({ section: "devices", action: "renamed", deviceIds: [id] });
    });
    if (isSaved && this.#renaming === renaming) this.#endRenaming(renaming);
    else this.focus(`new-name-${this.#indexOf(renaming)}`);
  }

  #endRenaming(renaming: Renaming): void {
    this.focus(`rename-${this.#indexOf(renaming)}`);
    this.#renaming = undefined;
    this.cancel();
  }

  /** The number of its row. */
  #indexOf({ id }: Renaming): number {
    return this.devices
      .filter((device) => this.#isFound(device))
      .findIndex(({ device_id }) => device_id === id);
  }
}

/** @throws {RequestError} `response_not_json` */
function readDevices(response: unknown): readonly AccountDevice[] {
  const { devices } = Object(response) as { readonly devices?: unknown };
  const isDevice = (each: unknown): each is AccountDevice =>
    typeof (Object(each) as Partial<AccountDevice>).device_id === "string";
  if (Array.isArray(devices) && devices.every(isDevice)) return devices;
  throw new RequestError("response_not_json", "The response contains no valid devices");
}
