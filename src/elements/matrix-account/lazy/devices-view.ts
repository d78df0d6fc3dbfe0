import { html, nothing, type TemplateResult } from "lit";
import { inputOf, isComposing } from "../../../ui/lazy/field.js";
import { insert, languagesOf } from "../../../ui/lazy/format-text.js";
import { type AccountDevice, deviceName, lastActiveMs, relativeTime } from "./device.js";
import type { Devices, Renaming } from "./devices.js";
import { renderButton, renderList, renderPageLink, renderRow } from "./section-view.js";

export function renderDevices(devices: Devices): TemplateResult {
  const { section, list, filter, found } = devices;
  const link = { id: "devices-page", about: "devices-heading", onOpen: () => devices.watch() };
  return html`${filter === undefined ? nothing : renderFilter(devices, filter)}
  ${renderList(
    list,
    found,
    ({ device_id }) => device_id,
    (device, index) => renderDevice(devices, device, index),
    "rename",
  )}
  ${section.isAtProvider ? renderPageLink(section, link) : renderSignOutAll(devices)}`;
}

const renderFilter = (devices: Devices, filter: string): TemplateResult =>
  html`<div class="uia-fields">
    <label for="filter">${devices.section.term("deviceFilter")}</label>
    <input
      id="filter"
      type="search"
      autocomplete="off"
      .value=${filter}
      @input=${(event: Event) => devices.search(inputOf(event).value)}
    />
  </div>`;

function renderDevice(devices: Devices, device: AccountDevice, index: number): TemplateResult {
  const { section, renaming } = devices;
  if (renaming?.id === device.device_id) return renderRenaming(devices, renaming, index);
  const isOwn = device.device_id === section.account.deviceId;
  const about = `device-${index}`;
  const label = section.term("rename");
  const onClick = (): void => devices.rename(device, index);
  const rename = renderButton({ label, id: `rename-${index}`, about, onClick }, section);
  return renderRow(
    html`<div>
        <bdi part="device-name" id=${about}>${deviceName(device)}</bdi>
        ${isOwn ? html`<span class="badge">${section.term("thisDevice")}</span>` : nothing}
      </div>
      <div part="device-detail">${renderDetail(devices, device)}</div>`,
    html`${rename} ${renderSignOut(devices, device, `sign-out-${index}`, about)}`,
    isOwn || section.isAtProvider ? nothing : renderCheckbox(devices, device, about),
  );
}

const renderCheckbox = (devices: Devices, device: AccountDevice, nameId: string): TemplateResult =>
  html`<div class="uia-fields">
    <input
      type="checkbox"
      aria-labelledby=${nameId}
      .checked=${devices.isSelected(device)}
      @change=${(event: Event) => devices.select(device.device_id, inputOf(event).checked)}
    />
  </div>`;

function renderDetail({ section }: Devices, device: AccountDevice): TemplateResult {
  const { last_seen_ip: ip } = device;
  const ms = lastActiveMs(device);
  const renderTime = (date: Date): TemplateResult =>
    html`<time datetime=${date.toISOString()}>${relativeTime(section.host.localize, date)}</time>`;
  const activity =
    ms === undefined
      ? section.term("neverActive")
      : insert(section.term("lastActive"), "time", renderTime(new Date(ms)));
  const address = ip ? html` <bdi dir="ltr">${ip.slice(0, 45)}</bdi>` : nothing;
  return html`<span>${activity}</span>${address}`;
}

function renderSignOut(
  devices: Devices,
  device: AccountDevice,
  id: string,
  about: string,
): TemplateResult {
  const { section } = devices;
  const { device_id: deviceId } = device;
  const label = section.term("signOut");
  const isOwn = deviceId === section.account.deviceId;
  if (!isOwn && section.isAtProvider) {
    const onOpen = (): void => devices.watch();
    return renderPageLink(section, { label, id, about, deviceId, onOpen });
  }
  const onClick = (): unknown => (isOwn ? devices.signOutHere() : devices.signOut([device], label));
  return renderButton({ label, id, about, kind: "danger", onClick }, section);
}

function renderSignOutAll(devices: Devices): unknown {
  const { section, selected, others } = devices;
  const { localize } = section.host;
  const count = selected.length.toLocaleString(languagesOf(localize, "signOutSelected"));
  if (others.length === 0 && selected.length === 0) return nothing;
  const renderAll = (label: string, all: readonly AccountDevice[]): unknown => {
    const onClick = (): unknown => devices.signOut(all, label);
    return all.length > 0 ? renderButton({ label, kind: "danger", onClick }, section) : nothing;
  };
  return html`<div part="actions">
    ${renderAll(section.term("signOutSelected").replace("{count}", count), selected)}
    ${renderAll(section.term("signOutOthers"), others)}
  </div>`;
}

function renderRenaming(devices: Devices, renaming: Renaming, index: number): TemplateResult {
  const { section } = devices;
  const id = `new-name-${index}`;
  const error = section.error ? "devices-error" : undefined;
  const save = (): unknown => devices.saveName(renaming);
  const cancel = (): void => devices.cancelRenaming(renaming);
  const about = html`<div class="uia-fields">
    <label for=${id}>${section.term("deviceName")}</label>
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
  return renderRow(about, [
    renderButton({ label: section.term("save"), kind: "primary", onClick: save }, section),
    renderButton({ label: section.term("cancel"), onClick: cancel }),
  ]);
}
