import { html, nothing, svg, type TemplateResult } from "lit";
import { asShowable } from "../../core/shared/identifiers.js";
import { checkbox } from "../../ui/form/choice.js";
import { inputOf } from "../../ui/form/field.js";
import { insert } from "../../ui/format-text.js";
import { oncePerDoubleClick } from "../../ui/form/buttons.js";
import {
  type AccountDevice,
  type DeviceKind,
  exactTime,
  idOf,
  isActive,
  isUnused,
  kindOf,
  lastActiveMs,
  nameOf,
  relativeTime,
  UNUSED_DAYS,
} from "./device.js";
import type { Devices, Renaming } from "./devices.js";
import { renderRow } from "./list.js";
import { editingKeys, renderButton, renderPageLink } from "./section-view.js";

export function renderDevices(devices: Devices): TemplateResult {
  const { section, list, own, others, found } = devices;
  const isListed = others.length > 0;
  return html`${
    own
      ? html`<ul part="list" class="own" aria-labelledby="devices-heading">
          ${renderDevice(devices, own, "own")}
        </ul>`
      : nothing
  }
  ${isListed ? renderHead(devices) : nothing} ${section.renderError()}
  ${
    isListed
      ? list.render(
          found,
          (device, index) => renderDevice(devices, device, `${index}`),
          "details",
          "others-heading",
        )
      : nothing
  }`;
}

/** The controls that apply to several devices. They stay in view. */
function renderHead(devices: Devices): TemplateResult {
  const { section, others, isSearched } = devices;
  const heading = section
    .term("otherDevices")
    .replace("{count}", () => devices.count(others.length));
  const all = `${section.term("signOutOthers")} (${devices.count(others.length)})`;
  const at = { control: "sign-out-others" };
  const onAll = (): unknown => devices.signOut(others, "signOutOthers", at);
  // If the token has no device, this device might be among the others.
  const isAll = section.account.deviceId !== undefined && !section.isAtProvider;
  return html`<div class="head">
      <h4 id="others-heading">${heading}</h4>
      ${isAll ? renderButton({ label: all, kind: "quiet danger", at, onClick: onAll }, section) : nothing}
    </div>
    ${
      isSearched || !section.isAtProvider
        ? html`<div class="bar" part="toolbar">
            ${isSearched ? renderSearch(devices) : nothing}
            ${section.isAtProvider || devices.found.length === 0 ? nothing : renderSelection(devices)}
          </div>`
        : nothing
    }`;
}

function renderSearch(devices: Devices): TemplateResult {
  const { section, found, others, sought, isUnusedOnly } = devices;
  const unused = section.term("notUsed").replace("{count}", () => devices.count(UNUSED_DAYS));
  const hasUnused = others.some(isUnused);
  const isFiltered = sought.trim() !== "" || isUnusedOnly;
  const finding = section
    .term(found.length > 0 ? "devicesFound" : "noDeviceFound")
    .replace("{count}", () => devices.count(found.length));
  // The list follows the typed text, so Enter does nothing.
  const onSearchKey = editingKeys(
    () => undefined,
    () => devices.search(""),
  );
  return html`<div class="search">
    <div class="uia-fields">
      ${SEARCH_ICON}
      <input
        id="filter"
        part="search"
        type="search"
        autocomplete="off"
        aria-label=${section.term("deviceFilter")}
        placeholder=${section.term("deviceFilter")}
        .value=${sought}
        @input=${(event: Event) => devices.search(inputOf(event).value)}
        @keydown=${sought ? onSearchKey : nothing}
      />
    </div>
    ${
      isUnusedOnly || hasUnused
        ? renderChoice(devices, "unused", unused, isUnusedOnly, false, (isChecked) =>
            devices.showUnusedOnly(isChecked),
          )
        : nothing
    }
    <div role="status" class="found">${isFiltered ? html`<span>${finding}</span>` : nothing}</div>
  </div>`;
}

function renderSelection(devices: Devices): TemplateResult {
  const { section, found } = devices;
  const selected = found.filter((device) => devices.isSelected(device));
  const isAll = selected.length > 0 && selected.length === found.length;
  const isNone = selected.length === 0;
  const label = `${section.term("signOut")} (${devices.count(selected.length)})`;
  const at = { control: "sign-out-selected" };
  const onClick = (): unknown => devices.signOut(selected, "signOut", at);
  const signOut = { label, kind: "quiet danger", at, onClick } as const;
  return html`<div class="selection">
    ${renderChoice(
      devices,
      "all",
      section.term("selectAll"),
      isAll,
      !isAll && !isNone,
      (isChecked) => devices.select(found, isChecked),
    )}
    ${isNone ? nothing : renderButton(signOut, section)}
  </div>`;
}

const renderChoice = (
  { section }: Devices,
  id: string,
  label: string,
  isChecked: boolean,
  isPartly: boolean,
  onChange: (isChecked: boolean) => void,
): TemplateResult =>
  html`<div class="uia-fields choose">
    <input
      type=${checkbox(section.host.shadowRoot)}
      part="checkbox"
      id=${id}
      .checked=${isChecked}
      .indeterminate=${isPartly}
      @change=${(event: Event) => onChange(inputOf(event).checked)}
    />
    <label for=${id}>${label}</label>
  </div>`;

/** @param key Makes the IDs in the row unique. */
function renderDevice(devices: Devices, device: AccountDevice, key: string): TemplateResult {
  const { section, renaming } = devices;
  const isOwn = key === "own";
  const row = device.device_id;
  const about = `device-${key}`;
  const name = nameOf(device);
  // Devices without a name are distinguished by their IDs.
  const shown = name ?? section.term("unnamedDevice");
  const hidden = html`<span class="visually-hidden">${idOf(device)}</span>`;
  const isOpened = devices.isOpened(device);
  const isRenamed = renaming?.id === row;
  const lead = html`${isOwn || section.isAtProvider ? nothing : renderCheckbox(devices, device, about)}
  ${renderIcon(kindOf(device))}`;
  const details = html`<button
    type="button"
    class="quiet toggle"
    part="details-button"
    id="details-${key}"
    aria-labelledby="details-label-${key} ${about}"
    aria-expanded=${isOpened ? "true" : "false"}
    @click=${oncePerDoubleClick(() => devices.toggle(device))}
  >
    <span id="details-label-${key}" class="visually-hidden">${section.term("deviceDetails")}</span>
    ${CHEVRON}
  </button>`;
  const actions = renderActions(devices, device, key);
  return renderRow({
    lead,
    about: html`<div>
        <bdi part="device-name" id=${about} translate=${name === undefined ? nothing : "no"}
          >${shown}${name === undefined ? hidden : nothing}</bdi
        >
        ${isOwn ? html`<span part="badge">${section.term("thisDevice")}</span>` : nothing}
      </div>
      ${renderActivity(devices, device, isOwn)}`,
    actions: details,
    more: html`<div part="details" class="more" ?hidden=${!isOpened && !isOwn && !isRenamed}>
      ${isOpened ? renderDetails(devices, device) : nothing}
      ${isRenamed ? renderRenaming(devices, renaming) : actions} ${section.renderError(row)}
    </div>`,
  });
}

const renderCheckbox = (devices: Devices, device: AccountDevice, nameId: string): TemplateResult =>
  html`<div class="uia-fields">
    <input
      type=${checkbox(devices.section.host.shadowRoot)}
      part="checkbox"
      aria-labelledby=${nameId}
      .checked=${devices.isSelected(device)}
      @change=${(event: Event) => devices.select([device], inputOf(event).checked)}
    />
  </div>`;

function renderActivity(
  { section }: Devices,
  device: AccountDevice,
  isOwn: boolean,
): TemplateResult {
  const { localize } = section.host;
  const { last_seen_ip: ip } = device;
  const ms = isOwn ? Date.now() : lastActiveMs(device);
  const time = (text: string): unknown =>
    ms === undefined
      ? text
      : html`<time datetime=${new Date(ms).toISOString()} title=${exactTime(localize, ms)}
          >${text}</time
        >`;
  const activity =
    ms === undefined
      ? section.term("neverActive")
      : isActive(ms)
        ? time(section.term("activeNow"))
        : insert(section.term("lastActive"), "time", time(relativeTime(localize, ms)));
  return html`<div part="device-detail">
    <span>${activity}</span>${ip ? renderIp(asShowable(ip.slice(0, 45))) : nothing}
  </div>`;
}

/** An IP address that wraps only between its numbers. Screen readers read it as one text. */
const renderIp = (ip: string): TemplateResult =>
  html`<bdi dir="ltr" translate="no" aria-hidden="true"
      >${ip.split(/(?<=[.:])/).map((part) => html`${part}<wbr />`)}</bdi
    ><span class="visually-hidden" translate="no">${ip}</span>`;

function renderDetails({ section }: Devices, device: AccountDevice): TemplateResult {
  const ms = lastActiveMs(device);
  const time = ms === undefined ? undefined : exactTime(section.host.localize, ms);
  return html`<dl>
    <div>
      <dt>${section.term("deviceId")}</dt>
      <dd><bdi dir="ltr" translate="no">${idOf(device)}</bdi></dd>
    </div>
    ${
      time
        ? html`<div>
            <dt>${section.term("lastActivity")}</dt>
            <dd>${time}</dd>
          </div>`
        : nothing
    }
  </dl>`;
}

function renderActions(devices: Devices, device: AccountDevice, key: string): TemplateResult {
  const { section } = devices;
  const about = `device-${key}`;
  const row = device.device_id;
  const rename = renderButton(
    {
      label: section.term("rename"),
      kind: "quiet",
      id: `rename-${key}`,
      about,
      onClick: () => devices.rename(device),
    },
    section,
  );
  return html`<div part="actions">
    ${rename} ${renderSignOut(devices, device, key, row, about)}
  </div>`;
}

function renderSignOut(
  devices: Devices,
  device: AccountDevice,
  key: string,
  row: string,
  about: string,
): TemplateResult | typeof nothing {
  const { section } = devices;
  const label = section.term("signOut");
  const id = `sign-out-${key}`;
  const isOwn = key === "own";
  if (!isOwn && section.isAtProvider) {
    return renderPageLink(section, { label, id, about, deviceId: row, kind: "quiet" });
  }
  const at = { control: "sign-out", row };
  const onClick = (): unknown =>
    isOwn ? devices.signOutHere(at) : devices.signOut([device], "signOut", at);
  return renderButton({ label, id, about, kind: "quiet danger", at, onClick }, section);
}

function renderRenaming(devices: Devices, renaming: Renaming): TemplateResult {
  const { section } = devices;
  const id = "new-name";
  const at = { control: "save", row: renaming.id };
  const error = section.isErrorAt(at) ? "devices-error-row" : undefined;
  const save = (): unknown => devices.saveName(renaming);
  const cancel = (): void => devices.cancelRenaming(renaming);
  return html`<div class="uia-fields">
      <label for=${id}>${section.term("deviceName")}</label>
      <input
        id=${id}
        part="name-field"
        autocomplete="off"
        dir="auto"
        enterkeyhint="done"
        .value=${renaming.value}
        aria-invalid=${error ? "true" : nothing}
        aria-describedby=${error ?? nothing}
        @input=${(event: Event) => (renaming.value = inputOf(event).value)}
        @keydown=${editingKeys(save, cancel)}
      />
    </div>
    <div part="actions">
      ${renderButton({ label: section.term("save"), kind: "primary", at, onClick: save }, section)}
      ${renderButton({ label: section.term("cancel"), onClick: cancel })}
    </div>`;
}

const SEARCH_ICON = html`<svg part="search-icon" viewBox="0 0 24 24" aria-hidden="true">
  <circle cx="10.5" cy="10.5" r="6.5" />
  <path d="m15.5 15.5 5 5" />
</svg>`;

const CHEVRON = html`<svg part="chevron" viewBox="0 0 24 24" aria-hidden="true">
  <path d="m6 9 6 6 6-6" />
</svg>`;

const SHAPES: Readonly<Record<DeviceKind, TemplateResult>> = {
  browser: svg`<rect x="3" y="4" width="18" height="16" rx="2" /><path d="M3 9h18M6.5 6.5h.01M9.5 6.5h.01" />`,
  phone: svg`<rect x="7" y="2" width="10" height="20" rx="2" /><path d="M11 18.5h2" />`,
  desktop: svg`<rect x="3" y="4" width="18" height="12" rx="2" /><path d="M12 16v4M8 20h8" />`,
  unknown: svg`<circle cx="12" cy="12" r="9" /><path d="M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.5v.2M12 16.5h.01" />`,
};

const renderIcon = (kind: DeviceKind): TemplateResult =>
  html`<svg part="device-icon" viewBox="0 0 24 24" aria-hidden="true">${SHAPES[kind]}</svg>`;
