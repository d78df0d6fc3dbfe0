import { html, nothing, type TemplateResult } from "lit";
import { inputOf, isComposing } from "../../../ui/lazy/field.js";
import { insert, languagesOf } from "../../../ui/lazy/format-text.js";
import { pollWhileVisible } from "../../../ui/lazy/visibility-poller.js";
import {
  type AccountDevice,
  deviceName,
  deviceNames,
  inOrder,
  isDevice,
  lastActiveMs,
  MAX_NAME_LENGTH,
  relativeTime,
} from "./device.js";
import { acceptGone } from "./progress.js";
import { ListSection, readList } from "./section.js";

/** A list with this many devices has a search field. */
const FILTER_FROM = 20;

interface Renaming {
  readonly id: string;
  value: string;
}

/** Lets the user rename the account's devices, and sign them out. */
export class DevicesSection extends ListSection<AccountDevice> {
  readonly #selected = new Set<string>();
  #filter = "";
  #renaming: Renaming | undefined;
  /** Polls for changes after the user has opened the provider's page. */
  #stopPolling: (() => void) | undefined;

  override stop(): void {
    super.stop();
    this.#stopPolling?.();
  }

  protected override async fetch(signal: AbortSignal): Promise<readonly AccountDevice[]> {
    const devices = readList(await this.account.client.getDevices({ signal }), "devices", isDevice);
    return [...new Map(devices.map((each) => [each.device_id, each])).values()];
  }

  /** Shows a new list, and reports the devices that are gone. */
  protected override accept(devices: readonly AccountDevice[]): void {
    const left = new Set(devices.map(({ device_id }) => device_id));
    const gone = this.items.filter(({ device_id }) => !left.has(device_id));
    super.accept(inOrder(devices, this.account.deviceId));
    for (const id of this.#selected) if (!left.has(id)) this.#selected.delete(id);
    if (this.#renaming && !left.has(this.#renaming.id)) this.#renaming = undefined;
    if (gone.length === 0) return;
    const names = deviceNames(this.host.localize, gone);
    const deviceIds = gone.map(({ device_id }) => device_id);
    const notice = this.term("devicesSignedOut").replace("{devices}", () => names);
    this.done({ action: "signed-out", deviceIds }, notice);
  }

  protected override renderItems(): TemplateResult {
    const found = this.#found;
    const list = this.renderList(
      found,
      ({ device_id }) => device_id,
      (device, index) => this.#renderDevice(device, index),
      "rename",
    );
    return html`${this.items.length >= FILTER_FROM ? this.#renderFilter() : nothing} ${list}
    ${this.#isAtProvider ? this.#renderPage() : this.#renderAll(found)}`;
  }

  get #isAtProvider(): boolean {
    return this.account.management === "provider";
  }

  get #found(): readonly AccountDevice[] {
    const sought = this.#filter.trim().toLowerCase();
    return this.items.filter(({ device_id, display_name }) =>
      [device_id, display_name].some((text) => text?.toLowerCase().includes(sought)),
    );
  }

  #renderFilter(): TemplateResult {
    return html`<div class="uia-fields">
      <label for="filter">${this.term("deviceFilter")}</label>
      <input
        id="filter"
        type="search"
        autocomplete="off"
        .value=${this.#filter}
        @input=${(event: Event) => {
          this.#filter = inputOf(event).value;
          this.showFirstPage();
        }}
      />
    </div>`;
  }

  #renderDevice(device: AccountDevice, index: number): TemplateResult {
    const { device_id: id } = device;
    if (this.#renaming?.id === id) return this.#renderRenaming(this.#renaming, index);
    const isOwn = id === this.account.deviceId;
    const nameId = `device-${index}`;
    const lead = isOwn || this.#isAtProvider ? nothing : this.#renderCheckbox(id, nameId);
    const about = html`<div>
        <bdi part="device-name" id=${nameId}>${deviceName(device)}</bdi>
        ${isOwn ? html`<span class="badge">${this.term("thisDevice")}</span>` : nothing}
      </div>
      <div part="device-detail">${this.#renderDetail(device)}</div>`;
    const rename = this.button({
      label: this.term("rename"),
      id: `rename-${index}`,
      about: nameId,
      onClick: () => this.#rename(device, index),
    });
    const signOut = this.#renderSignOut(device, `sign-out-${index}`, nameId);
    return this.renderRow(about, html`${rename} ${signOut}`, lead);
  }

  #renderCheckbox(id: string, nameId: string): TemplateResult {
    return html`<div class="uia-fields">
      <input
        type="checkbox"
        aria-labelledby=${nameId}
        .checked=${this.#selected.has(id)}
        @change=${(event: Event) => {
          if (inputOf(event).checked) this.#selected.add(id);
          else this.#selected.delete(id);
          this.host.requestUpdate();
        }}
      />
    </div>`;
  }

  #renderDetail(device: AccountDevice): TemplateResult {
    const { last_seen_ip: ip } = device;
    const ms = lastActiveMs(device);
    const renderTime = (date: Date): TemplateResult =>
      html`<time datetime=${date.toISOString()}>${relativeTime(this.host.localize, date)}</time>`;
    const activity =
      ms === undefined
        ? this.term("neverActive")
        : insert(this.term("lastActive"), "time", renderTime(new Date(ms)));
    const address = ip ? html` <bdi dir="ltr">${ip.slice(0, 45)}</bdi>` : nothing;
    return html`<span>${activity}</span>${address}`;
  }

  #renderSignOut(device: AccountDevice, id: string, about: string): TemplateResult {
    const { device_id: deviceId } = device;
    const label = this.term("signOut");
    const isOwn = deviceId === this.account.deviceId;
    if (!isOwn && this.#isAtProvider) {
      const link = { label, id, about, deviceId, onOpen: () => this.#watch() };
      return this.renderPageLink("org.matrix.device_delete", link);
    }
    const onClick = (): unknown =>
      isOwn ? this.work(() => this.model.signOut(this.account)) : this.#signOut([device], label);
    return this.button({ label, id, about, kind: "danger", onClick });
  }

  /** A link to the provider's list, or a text about who can sign out a device. */
  #renderPage(): TemplateResult {
    const link = { id: "devices-page", about: "devices-heading", onOpen: () => this.#watch() };
    return this.renderPageLink("org.matrix.devices_list", link);
  }

  /** Loads the list again when the user returns from the provider's page. */
  #watch(): void {
    this.#stopPolling ??= pollWhileVisible(() => this.load(), Infinity);
  }

  #renderAll(found: readonly AccountDevice[]): unknown {
    const { deviceId } = this.account;
    const selected = found.filter((device) => this.#selected.has(device.device_id));
    const languages = languagesOf(this.host.localize, "signOutSelected");
    const count = selected.length.toLocaleString(languages);
    // If the token has no device, the client can't tell which device must stay.
    const others = this.items.filter((device) => deviceId && device.device_id !== deviceId);
    const label = this.term("signOutSelected").replace("{count}", count);
    if (others.length === 0 && selected.length === 0) return nothing;
    return html`<div part="actions">
      ${this.#renderSignOutAll(label, selected)}
      ${this.#renderSignOutAll(this.term("signOutOthers"), others)}
    </div>`;
  }

  #renderSignOutAll(label: string, devices: readonly AccountDevice[]): unknown {
    if (devices.length === 0) return nothing;
    return this.button({ label, kind: "danger", onClick: () => this.#signOut(devices, label) });
  }

  async #signOut(devices: readonly AccountDevice[], heading: string): Promise<void> {
    const ids = devices.map(({ device_id }) => device_id);
    const description = deviceNames(this.host.localize, devices);
    const gone = new Set(ids);
    await this.confirm(
      async (auth) => this.account.client.deleteMultipleDevices(ids, auth).catch(acceptGone),
      {
        heading,
        description,
        destructive: true,
        done: () => this.accept(this.items.filter(({ device_id }) => !gone.has(device_id))),
      },
    );
  }

  #rename({ device_id: id, display_name }: AccountDevice, index: number): void {
    this.#renaming = { id, value: (display_name ?? "").slice(0, MAX_NAME_LENGTH) };
    this.focus(`new-name-${index}`);
  }

  #renderRenaming(renaming: Renaming, index: number): TemplateResult {
    const id = `new-name-${index}`;
    const error = this.failure ? "devices-error" : undefined;
    const save = (): unknown => this.#saveName(renaming);
    const cancel = (): void => this.#endRenaming(renaming);
    const about = html`<div class="uia-fields">
      <label for=${id}>${this.term("deviceName")}</label>
      <input
        id=${id}
        autocomplete="off"
        dir="auto"
        .value=${renaming.value}
        aria-invalid=${error ? "true" : nothing}
        aria-describedby=${error ?? nothing}
        @input=${(event: Event) => (renaming.value = inputOf(event).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (isComposing(event) || !["Enter", "Escape"].includes(event.key)) return;
          // The key must not press the button that gets the focus next.
          event.preventDefault();
          if (event.key === "Enter") save();
          else cancel();
        }}
      />
    </div>`;
    const actions = [
      this.button({ label: this.term("save"), kind: "primary", onClick: save }),
      this.button({ label: this.term("cancel"), busy: false, onClick: cancel }),
    ];
    return this.renderRow(about, actions);
  }

  async #saveName(renaming: Renaming): Promise<void> {
    const { id } = renaming;
    const display_name = renaming.value.trim();
    let isGone = false;
    const save = async (): Promise<void> => {
      await this.account.client.setDeviceDetails(id, { display_name }).catch((error: unknown) => {
        acceptGone(error);
        isGone = true;
      });
    };
    await this.change(save, {
      done: () => {
        if (isGone) return this.accept(this.items.filter(({ device_id }) => device_id !== id));
        const renamed = (each: AccountDevice): AccountDevice =>
          each.device_id === id ? { ...each, display_name } : each;
        this.accept(this.items.map(renamed));
        this.done({ action: "renamed", deviceIds: [id] });
        if (this.#renaming === renaming) this.#endRenaming(renaming);
      },
    });
    if (this.#renaming === renaming) this.focus(`new-name-${this.#indexOf(renaming)}`);
  }

  #endRenaming(renaming: Renaming): void {
    this.focus(`rename-${this.#indexOf(renaming)}`);
    this.#renaming = undefined;
    this.cancel();
  }

  #indexOf({ id }: Renaming): number {
    return this.#found.findIndex(({ device_id }) => device_id === id);
  }
}
