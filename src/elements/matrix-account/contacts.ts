import { html, nothing, type TemplateResult } from "lit";
import { presentMembers } from "../../core/http/json.js";
import type { AuthDict, IInputs } from "../../core/index.js";
import { MatrixError } from "../../core/matrix/error.js";
import { validationSession } from "../../core/uia/email-validation.js";
import { readFailure } from "../../core/uia/failure.js";
import { type AuthFlow, AuthType } from "../../core/uia/options.js";
import type { CodedError } from "../../errors/coded-error.js";
import { insert, isolated, shortened } from "../../ui/format-text.js";
import { acceptGone, isSessionOver } from "./errors.js";
import { renderRow, SectionList } from "./list.js";
import { renderButton } from "./section-view.js";
import type { Section, SectionContent } from "./section.js";

interface Contact {
  readonly medium: string;
  readonly address: string;
}

/** The kinds of addresses, with the stage that validates each, and the text of its button. */
const MEDIA = {
  email: { stage: AuthType.Email, add: "emailAdd" },
  msisdn: { stage: AuthType.Msisdn, add: "phoneAdd" },
} as const;

type Medium = keyof typeof MEDIA;

/** The user's input, and the homeserver's reason to reject it. */
interface RefusedAddress {
  readonly inputs: IInputs;
  readonly error: CodedError;
}

/** Lets the user add and remove email addresses and phone numbers. */
export class Contacts implements SectionContent {
  readonly #section: Section;
  readonly #list: SectionList<Contact>;

  constructor(section: Section) {
    this.#section = section;
    this.#list = new SectionList(section, {
      name: "threepids",
      request: async (signal) => ({
        threepids: [],
        ...presentMembers(await section.account.client.getThreePids({ signal })),
      }),
      isItem: isContact,
      idOf,
      accept: (all) => this.#list.set(all.filter(({ medium }) => Object.hasOwn(MEDIA, medium))),
    });
  }

  async #remove(contact: Contact): Promise<void> {
    const section = this.#section;
    const list = this.#list;
    const { medium, address } = contact;
    const label = section.term("remove");
    await section.ask(
      { heading: this.#about("removeAsk", contact), confirm: label },
      () => section.account.client.deleteThreePid(medium, address).catch(acceptGone),
      {
        at: { control: "remove", row: idOf(contact) },
        done: () => {
          // The list might have been loaded again in the meantime.
          list.set(list.items.filter((each) => idOf(each) !== idOf(contact)));
          const notice = this.#about("contactRemoved", contact);
          section.report({ action: "removed", medium, address }, notice);
        },
      },
    );
  }

  /**
   * Adds an address in the dialog. It adds a stage to those of the homeserver, which asks for the
   * password before it checks whether the address is confirmed.
   *
   * @param refused An address to start with.
   */
  async #add(medium: Medium, refused?: RefusedAddress): Promise<void> {
    const section = this.#section;
    const { client } = section.account;
    const { stage, add } = MEDIA[medium];
    let typed: IInputs = {};
    let validation: { readonly sid: string; readonly client_secret: string } | undefined;
    let flows: readonly AuthFlow[] = [{ stages: [stage] }];
    /** The added stage once it is completed. A correct code shows that it is; a poll does not. */
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
    /** The dialog shows the reason if no message was sent. If the session is over, the dialog is gone. */
    const send = async <Response>(
      inputs: IInputs,
      client_secret: string,
      run: () => Promise<Response>,
    ): Promise<Response> => {
      const { error: earlier } = refused ?? {};
      refused = undefined;
      if (earlier) throw earlier;
      typed = inputs;
      try {
        const response = await run();
        validation = { sid: validationSession(response), client_secret };
        // The dialog must have the response before it polls.
        setTimeout(() => section.controller.pollDialog());
        return response;
      } catch (error) {
        if (isOpen) section.reportFailure(error);
        throw error;
      }
    };
    let isOpen = true;
    let next: RefusedAddress | undefined;
    await section.confirm(request, {
      at: { control: add },
      heading: section.term(add),
      done: () => this.#added(medium, typed.emailAddress ?? typed.phoneNumber ?? ""),
      inputs: refused?.inputs,
      requestEmailToken: (emailAddress, secret, attempt) =>
        send({ emailAddress }, secret, () =>
          client.requestAdd3pidEmailToken(emailAddress, secret, attempt),
        ),
      requestPhoneToken: (phoneCountry, phoneNumber, secret, attempt) =>
        send({ phoneCountry, phoneNumber }, secret, () =>
          client.requestAdd3pidMsisdnToken(phoneCountry, phoneNumber, secret, attempt),
        ),
      refused: (error) => {
        const isRefusal = validation && error instanceof MatrixError && !isSessionOver(error);
        if (isRefusal) next = { inputs: typed, error };
        return next !== undefined;
      },
    });
    isOpen = false;
    if (next) await this.#add(medium, next);
  }

  /** @param typed The address as the user typed it. */
  async #added(medium: Medium, typed: string): Promise<void> {
    const section = this.#section;
    const list = this.#list;
    const before = new Set(list.items.map(({ address }) => address));
    await section.load();
    // Homeservers change the format of phone numbers.
    const added = list.items.find((each) => each.medium === medium && !before.has(each.address));
    const { address } = added ?? { address: typed };
    const notice = this.#about("contactAdded", { medium, address });
    section.report({ action: "added", medium, address }, notice);
  }

  #about(key: "removeAsk" | "contactAdded" | "contactRemoved", contact: Contact): TemplateResult {
    return insert(this.#section.term(key), "address", isolated(shown(contact)));
  }

  render(): TemplateResult {
    const { items } = this.#list;
    return html`${items.length > 0 ? this.#list.render(items, this.#renderContact, "remove") : nothing}
      <div part="actions">${this.#renderAdd("email")} ${this.#renderAdd("msisdn")}</div>
      ${this.#section.renderError()}`;
  }

  #renderAdd(medium: Medium): TemplateResult {
    const { add } = MEDIA[medium];
    const label = this.#section.term(add);
    const onClick = (): unknown => this.#add(medium);
    const at = { control: add };
    return renderButton({ label, id: `add-${medium}`, at, onClick }, this.#section);
  }

  readonly #renderContact = (contact: Contact, index: number): TemplateResult => {
    const section = this.#section;
    const about = `contact-${index}`;
    const at = { control: "remove", row: idOf(contact) };
    const remove = renderButton(
      {
        label: section.term("remove"),
        id: `remove-${index}`,
        about,
        kind: "quiet danger",
        at,
        onClick: () => this.#remove(contact),
      },
      section,
    );
    return renderRow({
      about: html`<bdi part="address" id=${about} dir="ltr" translate="no">${shown(contact)}</bdi>`,
      actions: remove,
      more: section.renderError(at.row),
    });
  };
}

const idOf = ({ medium, address }: Contact): string => `${medium} ${address}`;

/** A homeserver's response that requires stages. */
const challenge = (body: object): MatrixError => new MatrixError({ status: 401, body });

/** An email address has at most 254 characters. */
const MAX_ADDRESS_LENGTH = 254;

/** Adds the plus, which homeservers omit from phone numbers. */
function shown({ medium, address }: Contact): string {
  const text = medium === "msisdn" && /^\d/.test(address) ? `+${address}` : address;
  return shortened(text, MAX_ADDRESS_LENGTH);
}

function isContact(each: unknown): each is Contact {
  const { medium, address } = Object(each) as Partial<Contact>;
  return typeof medium === "string" && typeof address === "string";
}
