// Only stages that are loaded later have it.
import { type Field, field, valueOf } from "../../../ui/form/field.js";
import type { StageContext, StageView } from "./stage-view.js";

/** The view of a stage with one text field, which has the stage's error. @param submit Gets what was typed. */
export const oneField = (
  context: StageContext,
  own: Omit<Field, "error">,
  submit: (typed: string) => unknown,
): StageView => ({
  fields: field(context, { ...own, error: context.error }),
  errorField: own.name,
  action: "continue",
  onSubmit: (values) => submit(valueOf(values, own.name)),
});
