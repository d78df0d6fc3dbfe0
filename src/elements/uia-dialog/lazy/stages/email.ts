import { html, nothing } from "lit";
import { insert, isolated } from "../format-text.js";
import { field, valueOf } from "./field.js";
import type { Stage, StageContext, StageView } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.16/client-server-api/#email-based-identity--homeserver */
export const email: Stage = (context) => {
  const { session } = context;
  const sent = session.status.emailSid !== undefined;
  if (session.changing || !(sent || (session.busy && session.email))) return askAddress(context);
  return waitForLink(context, sent);
};

function askAddress(context: StageContext): StageView {
  const { session, term } = context;
  return {
    ask: term("uiaEmailAsk"),
    fields: field(context, {
      name: "email",
      label: term("uiaEmail"),
      type: "email",
      autocomplete: "email",
      value: session.email ?? "",
    }),
    errorField: "email",
    action: term("uiaEmailSend"),
    act: (values) => session.requestEmailToken(valueOf(values, "email")),
  };
}

function waitForLink({ session, term }: StageContext, sent: boolean): StageView {
  const told = sent ? "uiaLinkSent" : "uiaEmailSending";
  // A session may be resumed by a page that does not know the address.
  const where = session.email
    ? html`<p>${insert(term(told), "address", isolated(session.email))}</p>`
    : nothing;
  if (!sent) return { told: html`${where}` };
  const resend = {
    label: term("uiaResend"),
    act: () => session.requestEmailToken(),
    disabled: !session.canResend,
  };
  return {
    told: html`${where}
      <p>${term("uiaLinkWaiting")}</p>`,
    action: term("uiaContinue"),
    act: () => session.finish(),
    others: [
      ...(session.email ? [resend] : []),
      { label: term("uiaEmailChange"), act: () => session.changeAddress() },
    ],
  };
}
