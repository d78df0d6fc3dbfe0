import { html, nothing, type TemplateResult } from "lit";
import { RequestError } from "../../../core/http/errors.js";
import type { AuthDict } from "../../../core/index.js";
import { MatrixError } from "../../../core/matrix/error.js";
import { validationSession } from "../../../core/uia/email-validation.js";
import { readFailure } from "../../../core/uia/failure.js";
import { type AuthFlow, AuthType } from "../../../core/uia/options.js";
import { AccountSection, acceptGone, asAccountError, renderButton } from "./section.js";

type Medium = "email" | "msisdn";

interface Contact {
  readonly medium: Medium;
  readonly address: string;
}

const MEDIA = {
  email: { stage: AuthType.Email, add: "emailAdd" },
  msisdn: { stage: AuthType.Msisdn, add: "phoneAdd" },
} as const;

/** Email addresses and phone numbers: to add and to remove. */
export class ContactsSection extends AccountSection {
  readonly name = "contacts";
  readonly heading = "contacts";
  #contacts: readonly Contact[] | undefined;
  /** The address that is about to be removed. */
  #removing: string | undefined;

  override async load(): Promise<void> {
    await this.work(
      async (signal) => {
        const response: unknown = await this.account.client.getThreePids({ signal });
        signal.throwIfAborted();
        this.#contacts = readContacts(response);
      },
      { state: "loading" },
    );
  }

  protected override get needsLoad(): boolean {
    return !this.#contacts;
  }

  protected override renderContent(): unknown {
    if (!this.#contacts) return nothing;
    const list = html`<ul part="list" aria-labelledby="contacts-heading">
      ${this.#contacts.map((contact, index) => this.#renderContact(contact, index))}
    </ul>`;
    return html`${this.#contacts.length > 0 ? list : nothing}
      <div part="actions">${this.#renderAdd("email")} ${this.#renderAdd("msisdn")}</div>`;
  }

  #renderAdd(medium: Medium): TemplateResult {
    return renderButton({
      label: this.term(MEDIA[medium].add),
      id: `add-${medium}`,
      busy: this.isBusy,
      onClick: () => void this.#add(medium),
    });
  }

  #renderContact(contact: Contact, index: number): TemplateResult {
    const [id, name] = [`remove-${index}`, `contact-${index}`];
    const isAsked = this.#removing === contact.address;
    const cancel = { label: this.term("cancel"), onClick: () => this.#ask(undefined, id) };
    return html`<li part="item" data-row>
      <div class="about"><bdi id=${name} dir="ltr">${shown(contact)}</bdi></div>
      <div part="actions">
        ${isAsked ? renderButton(cancel) : nothing}
        ${renderButton({
          label: this.term("remove"),
          id,
          labelledBy: `${id} ${name}`,
          kind: isAsked ? "danger" : undefined,
          busy: this.isBusy,
          onClick: () => (isAsked ? void this.#remove(contact) : this.#ask(contact.address, id)),
        })}
      </div>
    </li>`;
  }

  /** Asks whether an address shall be removed: the homeserver does not. */
  #ask(address: string | undefined, focused: string): void {
    this.#removing = address;
    this.focus(focused);
  }

  async #remove(contact: Contact): Promise<void> {
    const { medium, address } = contact;
    const isRemoved = await this.work(async (signal) => {
      await this.account.client.deleteThreePid(medium, address).catch(acceptGone);
      signal.throwIfAborted();
      this.#contacts = this.#contacts?.filter((each) => each !== contact);
    });
    if (!isRemoved) return;
    this.#removing = undefined;
    this.notify(this.term("contactRemoved").replace("{address}", () => shown(contact)));
    this.model.report({ section: "contacts", action: "removed", medium, address });
  }

  /**
   * Adds an address, in the dialog, by a stage beside those of the homeserver. That wants the password before it says
   * whether the address is confirmed, so the stage begins before the others, and ends after them.
   */
  async #add(medium: Medium): Promise<void> {
    const { client } = this.account;
    const { stage, add } = MEDIA[medium];
    let typed = "";
    let validation: { readonly sid: string; readonly client_secret: string } | undefined;
    let flows: readonly AuthFlow[] = [{ stages: [stage] }];
    /** The stages that are known to be completed: a poll does not say so, a code that was right does. */
    let own: readonly string[] = [];

    const request = async (auth: AuthDict | null, background: boolean): Promise<unknown> => {
      if (!validation) throw challenge({ flows });
      const { type, session } = auth ?? {};
      const known = session === undefined ? null : { session };
      if (type === stage && !background) own = [stage];
      try {
        return await client.addThreePidOnly({ ...validation, auth: type === stage ? known : auth });
      } catch (error) {
        const { errcode, challenge: asked } = readFailure(error);
        if (asked) {
          flows = asked.flows.map(({ stages }) => ({ stages: [...stages, stage] }));
          throw challenge({ ...asked, flows, completed: [...(asked.completed ?? []), ...own] });
        }
        if (errcode !== "M_THREEPID_AUTH_FAILED") throw error;
        const others = flows.flatMap(({ stages }) => stages).filter((each) => each !== stage);
        throw challenge({ flows, completed: others });
      }
    };
    /** The dialog shows why no message was sent; if the session is over, there is no dialog any longer. */
    const send = async <Response>(
      address: string,
      client_secret: string,
      run: () => Promise<Response>,
    ): Promise<Response> => {
      typed = address;
      try {
        const response = await run();
        validation = { sid: validationSession(response), client_secret };
        const dialog = await this.model.loadDialog();
        // Once the dialog knows of the message, too.
        setTimeout(() => void dialog.poll());
        return response;
      } catch (error) {
        this.model.fail(asAccountError(error), this.name);
        throw error;
      }
    };
    const isAdded = await this.confirm(request, {
      heading: this.term(add),
      requestEmailToken: (email, secret, attempt) =>
        send(email, secret, () => client.requestAdd3pidEmailToken(email, secret, attempt)),
      requestPhoneToken: (country, phone, secret, attempt) =>
        send(phone, secret, () =>
          client.requestAdd3pidMsisdnToken(country, phone, secret, attempt),
        ),
    });
    if (isAdded) await this.#added({ medium, address: typed });
  }

  /** @param typed As the user wrote it. */
  async #added(typed: Contact): Promise<void> {
    const before = (this.#contacts ?? []).map(({ address }) => address);
    await this.load();
    // Homeservers write phone numbers in their own way.
    const added = this.#contacts?.find(
      ({ medium, address }) => medium === typed.medium && !before.includes(address),
    );
    const { medium, address } = added ?? typed;
    this.notify(this.term("contactAdded").replace("{address}", () => shown({ medium, address })));
    this.model.report({ section: "contacts", action: "added", medium, address });
  }
}

/** What a homeserver responds that asks for stages. */
const challenge = (body: object): MatrixError =>
  new MatrixError({ status: 401, body, headers: new Headers() });

/** Phone numbers come without the plus. */
const shown = ({ medium, address }: Contact): string =>
  medium === "msisdn" && /^\d/.test(address) ? `+${address}` : address;

/** Those that the element knows. @throws {RequestError} `response_not_json` */
function readContacts(response: unknown): readonly Contact[] {
  const { threepids } = Object(response) as { readonly threepids?: unknown };
  if (!Array.isArray(threepids)) {
    throw new RequestError("response_not_json", "The response contains no valid threepids");
  }
  return threepids.filter((each: unknown): each is Contact => {
    const { medium, address } = Object(each) as Partial<Contact>;
    return (medium === "email" || medium === "msisdn") && typeof address === "string";
  });
}
