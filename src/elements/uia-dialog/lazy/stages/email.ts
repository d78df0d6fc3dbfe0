import { html, nothing } from "lit";
import { field, valueOf } from "../../../../ui/lazy/field.js";
import { insert, isolated } from "../../../../ui/lazy/format-text.js";
import type { Stage, StageContext, StageView } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.19/client-server-api/#email-based-identity--homeserver */
export const email: Stage = (context) => {
  const { session } = context;
  const sent = session.status.emailSid !== undefined;
  if (session.changing || !(sent || (session.busy && session.email))) return askAddress(context);
  return waitForEmailLink(context, sent);
};

function askAddress(context: StageContext): StageView {
  const { session, term } = context;
  return {
    instruction: term("emailAsk"),
    fields: field(context, {
      name: "email",
      label: term("email"),
      type: "email",
      autocomplete: "email",
      value: session.email ?? "",
      error: context.error,
    }),
    errorField: "email",
    action: "emailSend",
    onSubmit: (values) => session.requestEmailToken(valueOf(values, "email")),
  };
}

function waitForEmailLink({ session, term }: StageContext, sent: boolean): StageView {
  if (!sent) return { instruction: term("working"), loading: true };
  // A session may be resumed by a page that does not know the address.
  const where = session.email
    ? html`<p>${insert(term("linkSent"), "address", isolated(session.email))}</p>`
    : nothing;
  const resend = {
    label: term("resend"),
    onClick: () => session.requestEmailToken(),
    disabled: !session.canResend,
  };
  return {
    details: html`${where}
      <p>${term("linkWaiting")}</p>`,
    action: "continue",
    onSubmit: () => session.finish(),
    secondaryActions: [
      ...(session.email ? [resend] : []),
      { label: term("emailChange"), onClick: () => session.changeAddress() },
    ],
  };
}
