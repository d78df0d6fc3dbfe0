import { html } from "lit";
import { field, usernameField, valueOf } from "../../../../ui/lazy/field.js";
import type { Stage } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.19/client-server-api/#password-based */
export const password: Stage = (context) => {
  const { session, term } = context;
  const { userId } = session;
  // If the username were editable at first, it would have the focus, and the user might type the password there.
  if (session.loadingUserId)
    return { instruction: term("passwordAsk"), generic: true, loading: true };
  return {
    instruction: term("passwordAsk"),
    generic: true,
    fields: html`${usernameField(context, userId)}${field(context, {
      name: "password",
      label: term("password"),
      type: "password",
      autocomplete: "current-password",
      error: context.error,
    })}`,
    errorField: "password",
    action: "continue",
    onSubmit: (values) =>
      session.submit({
        type: session.stage,
        identifier: { type: "m.id.user", user: userId ?? valueOf(values, "username") },
        // The password is not trimmed, because a space may be a part of it.
        password: values.get("password"),
      }),
  };
};
