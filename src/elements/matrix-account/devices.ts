import type { TemplateResult } from "lit";
import { readFailure } from "../../core/uia/failure.js";
import { AuthType } from "../../core/uia/options.js";
import { languagesOf, MAX_NAME_LENGTH, shortened } from "../../ui/format-text.js";
import {
  type AccountDevice,
  cleaned,
  deviceNames,
  inOrder,
  isDevice,
  isFoundBy,
  isUnused,
  nameOf,
  searchable,
} from "./device.js";
import { acceptGone } from "./errors.js";
import { renderDevices } from "./devices-view.js";
import { SectionList } from "./list.js";
import type { Place, Section, SectionContent } from "./section.js";

/** A list with this many other devices has a search field and filters. */
const SEARCH_FROM = 10;

export interface Renaming {
  readonly id: string;
  value: string;
}

/** Lets the user rename the account's devices, and sign them out. */
export class Devices implements SectionContent {
  readonly section: Section;
  readonly list: SectionList<AccountDevice>;
  /** The device that is about to be renamed. */
  renaming: Renaming | undefined;
  readonly #selected = new Set<string>();
  /** The devices whose details are shown. */
  readonly #opened = new Set<string>();
  #own: AccountDevice | undefined;
  #others: readonly AccountDevice[] = [];
  /**
   * The cached matches; undefined after the search or the list has changed. There can be thousands.
   */
  #found: readonly AccountDevice[] | undefined;
  /** The name of a device without a name, in the language of the matches. */
  #unnamed = "";
  #sought = "";
  #isUnusedOnly = false;

  constructor(section: Section) {
    this.section = section;
    const { controller, account } = section;
    this.list = new SectionList(section, {
      name: "devices",
      request: (signal) => controller.takeEarlyDevices() ?? account.client.getDevices({ signal }),
      isItem: isDevice,
      idOf: ({ device_id }) => device_id,
      accept: (devices) => this.#accept(devices.map(cleaned)),
    });
  }

  /** This device, if the homeserver lists it. */
  get own(): AccountDevice | undefined {
    return this.#own;
  }

  /** All devices except this one. */
  get others(): readonly AccountDevice[] {
    return this.#others;
  }

  /** Whether there are enough devices for a search field. */
  get isSearched(): boolean {
    return this.others.length >= SEARCH_FROM;
  }

  get sought(): string {
    return this.#sought;
  }

  get isUnusedOnly(): boolean {
    return this.#isUnusedOnly;
  }

  /** The other devices that match the search and the filter. */
  get found(): readonly AccountDevice[] {
    if (!this.isSearched) return this.others;
    const sought = searchable(this.#sought);
    const unnamed = searchable(this.section.term("unnamedDevice"));
    if (unnamed !== this.#unnamed) this.#found = undefined;
    this.#unnamed = unnamed;
    return (this.#found ??= this.others.filter(
      (device) => isFoundBy(device, sought, unnamed) && (!this.#isUnusedOnly || isUnused(device)),
    ));
  }

  /** Makes the IDs in a device's row unique. */
  keyOf(device: AccountDevice): string {
    return device === this.own ? "own" : `${this.found.indexOf(device)}`;
  }

  isSelected({ device_id }: AccountDevice): boolean {
    return this.#selected.has(device_id);
  }

  isOpened({ device_id }: AccountDevice): boolean {
    return this.#opened.has(device_id);
  }

  /** A number, formatted for the language. */
  count(value: number): string {
    return value.toLocaleString(languagesOf(this.section.host.localize, "signOut"));
  }

  search(text: string): void {
    this.#sought = text;
    this.#found = undefined;
    this.list.showFirstPage();
  }

  showUnusedOnly(isUnusedOnly: boolean): void {
    this.#isUnusedOnly = isUnusedOnly;
    this.#found = undefined;
    this.list.showFirstPage();
  }

  select(devices: readonly AccountDevice[], isSelected: boolean): void {
    for (const { device_id } of devices) {
      if (isSelected) this.#selected.add(device_id);
      else this.#selected.delete(device_id);
    }
    this.section.host.requestUpdate();
  }

  toggle({ device_id }: AccountDevice): void {
    if (!this.#opened.delete(device_id)) this.#opened.add(device_id);
    this.section.host.requestUpdate();
  }

  async signOutHere(at: Place): Promise<void> {
    const { section } = this;
    const { controller, account } = section;
    await section.run((signal) => controller.signOut(account, signal), { at });
  }

  /** @param key The label of the button that signs them out. */
  signOut(
    devices: readonly AccountDevice[],
    key: "signOut" | "signOutOthers",
    at: Place,
  ): Promise<void> {
    const { section } = this;
    const { client } = section.account;
    const ids = devices.map(({ device_id }) => device_id);
    const label = (): string => section.term(key);
    const ask = (): string =>
      section.term("signOutAsk").replace("{devices}", () => this.#namesOf(devices));
    const isOne = devices.length === 1;
    return section.confirm(
      async (auth) => client.deleteMultipleDevices(ids, auth).catch(acceptGone),
      {
        at,
        heading: isOne ? ask : () => `${label()} (${this.count(devices.length)})`,
        description: () => this.#namesOf(devices, isOne),
        submitLabel: label,
        destructive: true,
        question: () => ({ heading: ask(), confirm: label() }),
        isAsked: async () => {
          // The list of devices is empty. If the homeserver requires no authentication for it, it
          // requires none now.
          const failure = await client.deleteMultipleDevices([]).then(() => undefined, readFailure);
          const flows = failure?.challenge?.flows ?? [];
          const asks = flows.map(({ stages }) => stages.some((each) => each !== AuthType.Dummy));
          return asks.length > 0 && asks.every(Boolean);
        },
        done: () => this.#remove(ids),
      },
    );
  }

  rename(device: AccountDevice): void {
    const { device_id: id, display_name } = device;
    this.renaming = { id, value: nameOf(device) === undefined ? "" : cutName(display_name) };
    this.section.focus("new-name");
  }

  async saveName(renaming: Renaming): Promise<void> {
    const { id } = renaming;
    const { client } = this.section.account;
    renaming.value = this.section.valueIn("new-name");
    const display_name = renaming.value.trim();
    let isGone = false;
    const save = async (): Promise<void> => {
      await client.setDeviceDetails(id, { display_name }).catch((error: unknown) => {
        acceptGone(error);
        isGone = true;
      });
    };
    await this.section.change(save, {
      at: { control: "save", row: id },
      done: () => {
        if (isGone) return this.#remove([id]);
        const renamed = (each: AccountDevice): AccountDevice =>
          each.device_id === id ? { ...each, display_name } : each;
        this.#accept(this.list.items.map(renamed));
        this.section.report({ action: "renamed", deviceIds: [id] });
        this.cancelRenaming(renaming);
      },
    });
    if (this.renaming === renaming) this.section.focus("new-name");
  }

  /** Also cancels the request. */
  cancelRenaming(renaming: Renaming): void {
    if (this.renaming !== renaming) return;
    const device = this.list.items.find(({ device_id }) => device_id === renaming.id);
    if (device) this.section.focus(`rename-${this.keyOf(device)}`);
    this.renaming = undefined;
    this.section.cancel();
  }

  render(): TemplateResult {
    return renderDevices(this);
  }

  #namesOf(devices: readonly AccountDevice[], hasIds = false): string {
    const { section } = this;
    return deviceNames(section.host.localize, devices, section.term("unnamedDevice"), hasIds);
  }

  #remove(ids: readonly string[]): void {
    const removed = new Set(ids);
    this.#accept(this.list.items.filter(({ device_id }) => !removed.has(device_id)));
  }

  /** Shows a new list, and reports the devices that are gone. */
  #accept(devices: readonly AccountDevice[]): void {
    const { account } = this.section;
    const left = new Set(devices.map(({ device_id }) => device_id));
    const gone = this.list.items.filter(({ device_id }) => !left.has(device_id));
    this.list.set(inOrder(devices, account.deviceId, this.list.items));
    this.#own = this.list.items.find(({ device_id }) => device_id === account.deviceId);
    this.#others = this.list.items.filter((device) => device !== this.#own);
    this.#found = undefined;
    for (const ids of [this.#selected, this.#opened]) {
      for (const id of ids) if (!left.has(id)) ids.delete(id);
    }
    if (this.renaming && !left.has(this.renaming.id)) this.renaming = undefined;
    if (gone.length === 0) return;
    const deviceIds = gone.map(({ device_id }) => device_id);
    this.section.report({ action: "signed-out", deviceIds }, () =>
      this.section.term("devicesSignedOut").replace("{devices}", () => this.#namesOf(gone)),
    );
  }
}

function cutName(name: string | null | undefined): string {
  const isLong = name && name.length > MAX_NAME_LENGTH;
  return isLong ? shortened(name, MAX_NAME_LENGTH).slice(0, -1) : (name ?? "");
}
