// The tables of docs/reference/contexts.md, from the interfaces of src/context/ and the core's interfaces
// that they use.
import { membersOf, sourceOf } from "./declarations.mjs";
import { cell, filled, table } from "./markdown.mjs";

const SESSION = "src/context/uia-session.ts";
const CLIENT = "src/context/auth-client.ts";
const OPTIONS = "src/core/uia/options.ts";

/** The interfaces of each table and their files, by the table's mark in the page. */
const TABLES = new Map([
  ["UiaSession", [[SESSION, "UiaSession"]]],
  ["UiaSessionActions", [[SESSION, "UiaSessionActions"]]],
  ["PhoneValidationState", [[SESSION, "PhoneValidationState"]]],
  ["IStageStatus", [[OPTIONS, "IStageStatus"]]],
  ["IInputs", [[OPTIONS, "IInputs"]]],
  [
    "AuthClient",
    [
      [CLIENT, "AuthClient"],
      [OPTIONS, "UiaClient"],
    ],
  ],
]);

/** @param {string[][]} interfaces */
async function tableOf(interfaces) {
  const members = await Promise.all(
    interfaces.map(async ([path = "", name = ""]) => membersOf(await sourceOf(path), name)),
  );
  const rows = members.flat().map(({ name, type, meaning }) => {
    if (!meaning) throw new Error(`${name} has no comment`);
    return [`\`${name}\``, `\`${cell(type)}\``, cell(meaning)];
  });
  return table(["member", "type", "meaning"], rows);
}

/**
 * @param {string} page docs/reference/contexts.md
 * @returns {Promise<string>} The page with the tables from the types.
 */
export async function contextDocs(page) {
  let whole = page;
  for (const [name, interfaces] of TABLES) {
    whole = filled(whole, `type: ${name}`, await tableOf(interfaces));
  }
  return whole;
}
