import { html } from "lit";
import { field, valueOf } from "./field.js";
import type { Stage } from "./stage-view.js";

/** @see https://spec.matrix.org/v1.16/client-server-api/#password-based */
export const password: Stage = (context) => {
  const { session, term } = context;
  const { userId } = session;
  return {
    instruction: term("uiaPasswordAsk"),
    // Shown even if it is known: it tells password managers which password is meant.
    fields: html`${field(context, {
      name: "username",
      label: term("uiaUser"),
      autocomplete: "username",
      value: userId ?? "",
      readonly: userId !== undefined,
    })}${field(context, {
      name: "password",
      label: term("uiaPassword"),
      type: "password",
      autocomplete: "current-password",
    })}`,
    errorField: "password",
    action: term("uiaContinue"),
    // Replaces a name that was typed before it was known: what is shown must be what is submitted.
    ready({ elements }) {
      const name = elements.namedItem("username");
      if (userId !== undefined && name instanceof HTMLInputElement) name.value = userId;
    },
    onSubmit: (values) =>
      session.submit({
        type: session.stage,
        identifier: { type: "m.id.user", user: userId ?? valueOf(values, "username") },
        // Not trimmed: a space may be a part of it.
        password: values.get("password"),
      }),
  };
};
