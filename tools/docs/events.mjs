// Reads the event classes of src/events/.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { membersOf, sourceOf, typeText } from "./declarations.mjs";

const FOLDER = "src/events";

/**
 * @typedef {object} EventFacts
 * @property {string} name
 * @property {string} detail The type of `detail` in the source.
 * @property {boolean} bubbles Whether it bubbles and is composed.
 * @property {boolean} cancelable
 * @property {boolean} answered Whether it has `respondWith()`.
 */

/** @param {string} name A type that the details of several events share. */
async function shared(name) {
  if (name !== "FallbackPage") return undefined;
  const members = await membersOf(await sourceOf(join(FOLDER, "uia-fallback.ts")), name);
  return `{ ${members.map((each) => `${each.name}: ${each.type}`).join("; ")} }`;
}

/** @returns {Promise<Map<string, EventFacts>>} The events' facts, by class name. */
export async function eventFacts() {
  const facts = new Map();
  for (const file of (await readdir(FOLDER)).sort()) {
    const source = await sourceOf(join(FOLDER, file));
    for (const declaration of source.statements.filter(ts.isClassDeclaration)) {
      const [, type, options = ""] =
        /super\(\s*"([\w-]+)",([^;]*)\);/.exec(declaration.getText()) ?? [];
      if (type === undefined) continue;
      // `DetailEvent<Detail>` or `RespondableEvent<Response, Detail>`
      const base = declaration.heritageClauses?.[0]?.types[0];
      const detail = typeText(base?.typeArguments?.at(-1));
      facts.set(declaration.name?.text, {
        name: type,
        detail: (await shared(detail)) ?? detail,
        bubbles: options.includes("EVERYWHERE"),
        cancelable: /cancelable: true|\bCANCELABLE_/.test(options),
        answered: /extends RespondableEvent\b/.test(declaration.getText()),
      });
    }
  }
  return facts;
}
