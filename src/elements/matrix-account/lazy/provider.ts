import { html, type TemplateResult } from "lit";
import type { Texts } from "../../../texts/texts.js";
import type { Account, AccountSectionName } from "./account.js";
import { type AccountModel, AccountSection } from "./section.js";

/** The provider's page for what a section is about. */
const ACTIONS: Readonly<Partial<Record<AccountSectionName, string>>> = {
  deactivation: "org.matrix.account_deactivate",
};

interface PageLink {
  /** Default: "Manage on your account page". */
  readonly label?: string;
  readonly id: string;
  /** The ID of what it is about: others have the same label. */
  readonly about: string;
  readonly deviceId?: string;
  readonly onOpen?: () => void;
}

/** A link to the provider's account page, in a new tab; without such a page, who else can do it. */
export function renderPageLink(
  model: AccountModel,
  account: Account,
  action: string,
  { label, id, about, deviceId, onOpen }: PageLink,
): TemplateResult {
  const { localize } = model.host;
  const url = account.pageFor(action, deviceId);
  if (url === undefined) {
    return label === undefined ? html`<p>${localize.term("administratorOnly")}</p>` : html``;
  }
  return html`<a
    part="button"
    class="secondary"
    href=${url}
    target="_blank"
    rel="noopener noreferrer"
    aria-labelledby="${id} ${about} ${id}-window"
    @click=${(event: Event) => {
      if (!model.announceLink(action, url, deviceId)) event.preventDefault();
      onOpen?.();
    }}
    ><span id=${id}>${label ?? localize.term("onAccountPage")}</span>
    <span class="visually-hidden" id="${id}-window">${localize.term("newWindow")}</span></a
  >`;
}

/** A section that the provider's account page has. */
export class ProviderSection extends AccountSection {
  readonly name: AccountSectionName;
  readonly heading: keyof Texts;

  constructor(
    model: AccountModel,
    account: Account,
    name: AccountSectionName,
    heading: keyof Texts,
  ) {
    super(model, account);
    this.name = name;
    this.heading = heading;
  }

  protected override renderContent(): TemplateResult {
    const action = ACTIONS[this.name] ?? "org.matrix.profile";
    return renderPageLink(this.model, this.account, action, {
      id: `${this.name}-page`,
      about: `${this.name}-heading`,
    });
  }
}
