import { html, nothing, type TemplateResult } from "lit";
import { type Contact, type Contacts, MEDIA, type Medium, shown } from "./contacts.js";
import { renderButton, renderList, renderRow } from "./section-view.js";

export function renderContacts(contacts: Contacts): TemplateResult {
  const { list } = contacts;
  const shownList = renderList(
    list,
    list.items,
    ({ medium, address }) => `${medium} ${address}`,
    (contact, index) => renderContact(contacts, contact, index),
    "remove",
  );
  return html`${list.items.length > 0 ? shownList : nothing}
    <div part="actions">${renderAdd(contacts, "email")} ${renderAdd(contacts, "msisdn")}</div>`;
}

function renderAdd(contacts: Contacts, medium: Medium): TemplateResult {
  const label = contacts.section.term(MEDIA[medium].add);
  const onClick = (): unknown => contacts.add(medium);
  return renderButton({ label, id: `add-${medium}`, onClick }, contacts.section);
}

function renderContact(contacts: Contacts, contact: Contact, index: number): TemplateResult {
  const { section } = contacts;
  const [id, about] = [`remove-${index}`, `contact-${index}`];
  const label = section.term("remove");
  const cancel = (): void => contacts.ask(undefined, id);
  const ask = (): void => contacts.ask(contact, id);
  const remove = (): unknown => contacts.remove(contact);
  return renderRow(
    html`<bdi id=${about} dir="ltr">${shown(contact)}</bdi>`,
    contacts.isRemoving(contact)
      ? html`${renderButton({ label: section.term("cancel"), onClick: cancel })}
        ${renderButton({ label, id, about, kind: "danger", onClick: remove }, section)}`
      : renderButton({ label, id, about, onClick: ask }, section),
  );
}
