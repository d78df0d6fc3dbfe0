// Reads the types in the guides with TypeScript's parser, without running code.
import { readFile } from "node:fs/promises";
import ts from "typescript";

/** @typedef {{ name: string, type: string, meaning: string }} Member */

/** @param {string} path */
export async function sourceOf(path) {
  return ts.createSourceFile(path, await readFile(path, "utf8"), ts.ScriptTarget.ESNext, true);
}

/** @param {string} text */
const inOneLine = (text) =>
  text
    .replace(/\/\*\*[^]*?\*\//g, "")
    .replace(/\breadonly /g, "")
    .replace(/\s+/g, " ")
    .replace(/,\s*\)/g, ")")
    .replace(/\(\s+/g, "(")
    .replace(/; \}/g, " }")
    .trim();

/** @param {import("typescript").Node} node */
function meaningOf(node) {
  return ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "")
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

/** @param {import("typescript").Node} node */
const isPublic = (node) =>
  !ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");

/** @param {import("typescript").TypeNode | undefined} node */
export const typeText = (node) => (node ? inOneLine(node.getText()) : "unknown");

/**
 * @param {import("typescript").SourceFile} source
 * @param {string} name
 * @returns {Member[]} The members that the interface itself declares in this file.
 */
export function membersOf(source, name) {
  const found = source.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  );
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`No interface ${name}`);
  return found.members.filter(isPublic).flatMap((member) => {
    if (ts.isMethodSignature(member)) {
      const list = member.parameters.map((parameter) => inOneLine(parameter.getText()));
      const type = `(${list.join(", ")}) => ${typeText(member.type)}`;
      return [{ name: member.name.getText(), type, meaning: meaningOf(member) }];
    }
    if (!ts.isPropertySignature(member)) return [];
    return [
      { name: member.name.getText(), type: typeText(member.type), meaning: meaningOf(member) },
    ];
  });
}
