import type { AccountSectionName } from "../../../events/matrix-account.js";
import type { LoadedPart } from "../../../ui/lazy.js";
import { renderContacts } from "./contacts-view.js";
import { Contacts } from "./contacts.js";
import { renderDeactivation } from "./deactivation-view.js";
import { Deactivation } from "./deactivation.js";
import { renderDevices } from "./devices-view.js";
import { Devices } from "./devices.js";
import { renderPassword } from "./password-view.js";
import { NewPassword } from "./password.js";
import { renderProvider } from "./section-view.js";
import type { Section } from "./section.js";
import type { AccountText } from "./texts.js";

/** A section of the element, and what a homeserver or its provider lets the user do there. */
export interface SectionRule {
  readonly heading: AccountText;
  /** Creates what it does, and what it shows. */
  readonly open: (section: Section) => LoadedPart<unknown>;
  /** The homeserver's capability, unless a provider's page is for it. */
  readonly capability?: string;
  /** The actions of the provider's account page. Without, the section is the same at a provider. */
  readonly provider?: {
    /** The action for the section. */
    readonly action: string;
    /** The action for one device. With it, the section is shown, else only a link to the page. */
    readonly deviceAction?: string;
  };
}

const content =
  <Content>(Type: new (section: Section) => Content, render: (content: Content) => unknown) =>
  (section: Section): LoadedPart<unknown> => {
    const isElsewhere = section.isAtProvider && !section.rule.provider?.deviceAction;
    if (isElsewhere) return { controller: undefined, render: () => renderProvider(section) };
    const controller = new Type(section);
    return { controller, render: () => render(controller) };
  };

export type SectionRules = Readonly<Record<AccountSectionName, SectionRule>>;

/** All sections, in their default order. */
export const SECTIONS: SectionRules = {
  devices: {
    heading: "devices",
    open: content(Devices, renderDevices),
    provider: {
      action: "org.matrix.devices_list",
      deviceAction: "org.matrix.device_delete",
    },
  },
  password: {
    heading: "password",
    open: content(NewPassword, renderPassword),
    capability: "m.change_password",
    provider: { action: "org.matrix.profile" },
  },
  contacts: {
    heading: "contacts",
    open: content(Contacts, renderContacts),
    capability: "m.3pid_changes",
    provider: { action: "org.matrix.profile" },
  },
  deactivation: {
    heading: "deactivate",
    open: content(Deactivation, renderDeactivation),
    provider: { action: "org.matrix.account_deactivate" },
  },
};
