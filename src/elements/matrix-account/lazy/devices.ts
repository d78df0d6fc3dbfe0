import { pollWhileVisible } from "../../../ui/lazy/visibility-poller.js";
import { type AccountDevice, deviceNames, inOrder, isDevice, MAX_NAME_LENGTH } from "./device.js";
import { acceptGone } from "./errors.js";
import { readList, SectionList } from "./list.js";
import type { Section } from "./section.js";
import { texts } from "./texts.js";

/** A list with this many devices has a search field. */
const FILTER_FROM = 20;

export interface Renaming {
  readonly id: string;
  value: string;
}

/** Lets the user rename the account's devices, and sign them out. */
export class Devices {
  readonly section: Section;
  readonly list: SectionList<AccountDevice>;
  /** The device that is about to be renamed. */
  renaming: Renaming | undefined;
  readonly #selected = new Set<string>();
  #filter = "";
  /** Polls for changes after the user has opened the provider's page. */
  #cancelPolling: (() => void) | undefined;

  constructor(section: Section) {
    this.section = section;
    this.list = new SectionList(
      section,
      (signal) => this.#fetch(signal),
      (devices) => this.#accept(devices),
    );
    section.add({ close: () => this.#cancelPolling?.() });
  }

  /** The search text; undefined without a search field. */
  get filter(): string | undefined {
    return this.list.items.length >= FILTER_FROM ? this.#filter : undefined;
  }

  get found(): readonly AccountDevice[] {
    const sought = this.#filter.trim().toLowerCase();
    return this.list.items.filter(({ device_id, display_name }) =>
      [device_id, display_name].some((text) => text?.toLowerCase().includes(sought)),
    );
  }

  get selected(): readonly AccountDevice[] {
    return this.found.filter((device) => this.isSelected(device));
  }

  isSelected({ device_id }: AccountDevice): boolean {
    return this.#selected.has(device_id);
  }

  /** All devices except this one. If the token has no device, none: this one must stay. */
  get others(): readonly AccountDevice[] {
    const { deviceId } = this.section.account;
    return this.list.items.filter(({ device_id }) => deviceId && device_id !== deviceId);
  }

  search(text: string): void {
    this.#filter = text;
    this.list.showFirstPage();
  }

  select(id: string, isSelected: boolean): void {
    if (isSelected) this.#selected.add(id);
    else this.#selected.delete(id);
    this.section.host.requestUpdate();
  }

  /** Loads the list again when the user returns from the provider's page. */
  watch(): void {
    if (this.section.state.name === "closed") return;
    this.#cancelPolling ??= pollWhileVisible(() => this.section.load(), Infinity);
  }

  signOutHere(): Promise<void> {
    const { controller, account } = this.section;
    return this.section.run(() => controller.signOut(account));
  }

  signOut(devices: readonly AccountDevice[], heading: string): Promise<void> {
    const { account, host } = this.section;
    const ids = devices.map(({ device_id }) => device_id);
    return this.section.confirm(
      async (auth) => account.client.deleteMultipleDevices(ids, auth).catch(acceptGone),
      {
        heading,
        description: deviceNames(host.localize, devices),
        destructive: true,
        done: () => this.#remove(ids),
      },
    );
  }

  rename({ device_id: id, display_name }: AccountDevice, index: number): void {
    this.renaming = { id, value: (display_name ?? "").slice(0, MAX_NAME_LENGTH) };
    this.section.focus(`new-name-${index}`);
  }

  async saveName(renaming: Renaming): Promise<void> {
    const { id } = renaming;
    const { client } = this.section.account;
    const display_name = renaming.value.trim();
    let isGone = false;
    const save = async (): Promise<void> => {
      await client.setDeviceDetails(id, { display_name }).catch((error: unknown) => {
        acceptGone(error);
        isGone = true;
      });
    };
    await this.section.change(save, {
      done: () => {
        if (isGone) return this.#remove([id]);
        const renamed = (each: AccountDevice): AccountDevice =>
          each.device_id === id ? { ...each, display_name } : each;
        this.#accept(this.list.items.map(renamed));
        this.section.report({ action: "renamed", deviceIds: [id] });
        this.cancelRenaming(renaming);
      },
    });
    if (this.renaming === renaming) this.section.focus(`new-name-${this.#indexOf(renaming)}`);
  }

  /** Also cancels the request. */
  cancelRenaming(renaming: Renaming): void {
    if (this.renaming !== renaming) return;
    this.section.focus(`rename-${this.#indexOf(renaming)}`);
    this.renaming = undefined;
    this.section.cancel();
  }

  #indexOf({ id }: Renaming): number {
    return this.found.findIndex(({ device_id }) => device_id === id);
  }

  async #fetch(signal: AbortSignal): Promise<readonly AccountDevice[]> {
    const { client } = this.section.account;
    const devices = readList(await client.getDevices({ signal }), "devices", isDevice);
    return [...new Map(devices.map((each) => [each.device_id, each])).values()];
  }

  #remove(ids: readonly string[]): void {
    this.#accept(this.list.items.filter(({ device_id }) => !ids.includes(device_id)));
  }

  /** Shows a new list, and reports the devices that are gone. */
  #accept(devices: readonly AccountDevice[]): void {
    const { account, host } = this.section;
    const left = new Set(devices.map(({ device_id }) => device_id));
    const gone = this.list.items.filter(({ device_id }) => !left.has(device_id));
    this.list.set(inOrder(devices, account.deviceId));
    for (const id of this.#selected) if (!left.has(id)) this.#selected.delete(id);
    if (this.renaming && !left.has(this.renaming.id)) this.renaming = undefined;
    if (gone.length === 0) return;
    const names = deviceNames(host.localize, gone);
    const notice = texts.term(host.localize, "devicesSignedOut").replace("{devices}", () => names);
    const deviceIds = gone.map(({ device_id }) => device_id);
    this.section.report({ action: "signed-out", deviceIds }, notice);
  }
}
