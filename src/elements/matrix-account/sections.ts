import type { AccountClient } from "../../context/auth-client.js";
import type { AccountSectionName } from "../../events/matrix-account.js";
import { lazyPart } from "../../ui/loading.js";
import { Devices } from "./devices.js";
import { Profile } from "./profile.js";
import type { Section, SectionContent } from "./section.js";
import type { AccountText } from "./texts.js";

type ContentClass = new (section: Section) => SectionContent;

const loadHomeserverSections = /* @__PURE__ */ lazyPart(() => import("./homeserver-sections.js"));

/** The rules that decide whether a section is shown, and where its content is changed. */
export interface SectionRule {
  readonly load: () => Promise<ContentClass> | ContentClass;
  /** A method that a page's own client might lack. Without it, the section is not shown. */
  readonly needs?: keyof AccountClient;
  /** The homeserver's capability, unless a provider's page handles the section. */
  readonly capability?: string;
  /**
   * The actions of the provider's account page. If unset, a provider makes no difference to the
   * section.
   */
  readonly provider?: {
    /** The action for the section. */
    readonly action: string;
    /**
     * The action for one device. If set, the section is shown. Otherwise only a link to the page is
     * shown.
     */
    readonly deviceAction?: string;
    /** The label of the link. Default: the heading. */
    readonly label?: AccountText;
    readonly isDestructive?: boolean;
  };
}

export type SectionRules = Readonly<Record<AccountSectionName, SectionRule>>;

/** All sections, in their default order. */
export const SECTIONS: SectionRules = {
  profile: {
    load: () => Profile,
    needs: "getProfileInfo",
  },
  devices: {
    load: () => Devices,
    provider: {
      action: "org.matrix.devices_list",
      deviceAction: "org.matrix.device_delete",
    },
  },
  password: {
    load: async () => (await loadHomeserverSections()).NewPassword,
    capability: "m.change_password",
    provider: { action: "org.matrix.profile", label: "passwordChange" },
  },
  contacts: {
    load: async () => (await loadHomeserverSections()).Contacts,
    capability: "m.3pid_changes",
    provider: { action: "org.matrix.profile" },
  },
  deactivation: {
    load: async () => (await loadHomeserverSections()).Deactivation,
    provider: { action: "org.matrix.account_deactivate", isDestructive: true },
  },
};
