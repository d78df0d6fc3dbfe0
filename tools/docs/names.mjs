// The table in docs/reference/entry-points.md: the exports of each entry without elements.
import ts from "typescript";
import { table } from "./markdown.mjs";

/** The entries and the core's parts, each with its folder. */
const ROWS = [
  ["`/core`: OAuth 2.0 and OpenID Connect", "core/oauth"],
  ["`/core`: password, single sign-on", "core/legacy"],
  ["`/core`: sessions", "core/session"],
  ["`/core`: the homeserver", "core/matrix"],
  ["`/core`: User-Interactive Authentication", "core/uia"],
  ["`/core`: requests, and what all share", "core/(http|shared)"],
  ["`/node`", "node"],
  ["`/service-worker`", "service-worker"],
  ["`/matrix-js-sdk`", "matrix-js-sdk"],
  ["`/testing`", "testing"],
];

/**
 * @param {readonly (string | undefined)[]} entries Folders of `src`.
 * @returns The folders' exports, and the file that declares each.
 */
export function exportsOf(entries) {
  const paths = entries.map((entry) => `src/${entry}/index.ts`);
  const program = ts.createProgram(paths, { module: ts.ModuleKind.NodeNext, types: ["node"] });
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const entry = checker.getSymbolAtLocation(program.getSourceFile(path) ?? never(path));
    return checker.getExportsOfModule(entry ?? never(path)).map((symbol) => {
      const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      const { flags, declarations } = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
      const file = declarations?.[0]?.getSourceFile().fileName ?? never(symbol.name);
      return { name: symbol.name, file, isValue: (flags & ts.SymbolFlags.Value) !== 0 };
    });
  });
}

/** @returns {string} The table. Throws if a name is in no row. */
export function exportedNames() {
  const names = exportsOf([...new Set(ROWS.map(([, folder = ""]) => folder.split("/")[0]))]);
  const rows = ROWS.map(([label = "", folder = ""]) => {
    const here = names.filter(({ file }) => new RegExp(`(^|/)src/${folder}/`).test(file));
    const listed = (/** @type {boolean} */ values) =>
      here
        .filter(({ isValue }) => isValue === values)
        .map(({ name }) => name)
        .sort()
        .map((name) => `\`${name}\``)
        .join(", ");
    return { count: here.length, cells: [label, listed(true), listed(false)] };
  });
  if (rows.reduce((sum, { count }) => sum + count, 0) !== names.length) never("A name in no row");
  return table(
    ["entry", "functions, classes, values", "types"],
    rows.map(({ cells }) => cells),
  );
}

/**
 * @param {string} what
 * @returns {never}
 */
function never(what) {
  throw new Error(`${what} is missing`);
}
