// What is in this library's files for script tags, by function, as a picture of areas: tools/bench/dist/treemap.html.
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { parseAst } from "rollup/parseAst";
import { run } from "../../scripts/run.mjs";

const FROM = "dist/cdn";
const FOLDER = "tools/bench/dist";
/** By a name in a variable, because its types cannot be checked: the bench installs it, and not before. */
const TRACE_MAPPING = "@jridgewell/trace-mapping";
/** Imports, exports, comments, and what a bundler adds. */
const BUNDLER = { module: "bundle", name: "(made by the bundler)" };
/** Of the data that rollup-plugin-visualizer draws. */
const VERSION = 2;

/**
 * A function, a class's member, or what else stands at the top of a module.
 *
 * @typedef {{ name: string, start: number, end: number }} Unit
 * @typedef {{ name: string, uid: string }} Leaf
 * @typedef {{ name: string, children: (Folder | Leaf)[] }} Folder
 * @typedef {{ source: string | null, originalLine: number | null, originalColumn: number | null }} Origin
 * @typedef {Origin & { generatedLine: number, generatedColumn: number }} Mapping
 */

/** Draws the files as they were built. */
export async function drawTreemap() {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  /** @type {Folder} */
  const tree = { name: "root", children: [] };
  /** @type {Record<string, object>} */
  const nodeParts = {};
  /** @type {Record<string, object>} */
  const nodeMetas = {};
  for (const file of (await readdir(FROM, { encoding: "utf8", recursive: true })).sort()) {
    // The classic scripts hold the same once more.
    if (!/\.js$/.test(file) || /^locales|\.global\.js$/.test(file)) continue;
    /** @type {Folder} */
    const folder = { name: file, children: [] };
    tree.children.push(folder);
    for (const { module, name, bytes, saved } of await weighFunctions(file)) {
      const [uid, metaUid] = [`${file} ${module} ${name}`, `${module} ${name}`];
      folderOf(folder, module).children.push({ name, uid });
      nodeParts[uid] = { renderedLength: bytes, gzipLength: saved, brotliLength: 0, metaUid };
      nodeMetas[metaUid] = {
        id: metaUid,
        moduleParts: { [file]: uid },
        imported: [],
        importedBy: [],
      };
    }
  }
  const options = { gzip: true, brotli: false, sourcemap: false };
  const data = { version: VERSION, tree, nodeParts, nodeMetas, env: {}, options };
  await writeFile(`${FOLDER}/treemap.json`, JSON.stringify(data));
  await run(`Treemap: ${FOLDER}/treemap.html`, process.execPath, [
    "tools/bench/node_modules/rollup-plugin-visualizer/dist/bin/cli.js",
    "--filename",
    `${FOLDER}/treemap.html`,
    "--title",
    "What matrix-auth-elements is made of",
    `${FOLDER}/treemap.json`,
  ]);
}

/**
 * How much of a minified file each function is: its bytes, and what gzip would save if they were not there.
 *
 * @param {string} file
 */
async function weighFunctions(file) {
  const { TraceMap, eachMapping } = await import(TRACE_MAPPING);
  const code = await readFile(`${FROM}/${file}`, "utf8");
  const map = JSON.parse(await readFile(`${FROM}/${file}.map`, "utf8"));
  /** @type {Mapping[]} */
  const mappings = [];
  eachMapping(new TraceMap(map), (/** @type {Mapping} */ mapping) => mappings.push(mapping));
  const lineStarts = startsOfLines(code);
  /** @param {Mapping} mapping */
  const offsetOf = ({ generatedLine, generatedColumn }) =>
    Number(lineStarts[generatedLine - 1]) + generatedColumn;
  const unitAt = unitFinder(map);
  /** @type {Map<string, { module: string, name: string, pieces: [number, number][] }>} */
  const functions = new Map();
  /** @param {{ module: string, name: string }} unit @param {number} start @param {number} end */
  const add = ({ module, name }, start, end) => {
    const key = `${module} ${name}`;
    const known = functions.get(key) ?? { module, name, pieces: [] };
    functions.set(key, known);
    if (start < end) known.pieces.push([start, end]);
  };
  const [from, to] = rangeOfCode(code);
  add(BUNDLER, 0, from);
  mappings.forEach((mapping, nth) => {
    const next = mappings[nth + 1];
    const end = next ? offsetOf(next) : code.length;
    const start = nth === 0 ? from : Math.max(from, offsetOf(mapping));
    add(unitAt(mapping), start, Math.min(to, end));
  });
  add(BUNDLER, to, code.length);
  const whole = gzipSync(code, { level: 9 }).length;
  return [...functions.values()].map(({ module, name, pieces }) => {
    let rest = "";
    let at = 0;
    for (const [start, end] of pieces) {
      rest += code.slice(at, start);
      at = end;
    }
    rest += code.slice(at);
    return {
      module,
      name,
      bytes: Buffer.byteLength(code) - Buffer.byteLength(rest),
      saved: Math.max(0, whole - gzipSync(rest, { level: 9 }).length),
    };
  });
}

/**
 * Where a file's code begins and ends, without its imports and exports.
 *
 * @param {string} code
 */
function rangeOfCode(code) {
  const own = /** @type {any} */ (parseAst(code)).body.filter(
    (/** @type {any} */ { type }) => !/^(Import|Export)/.test(type),
  );
  return [own[0]?.start ?? code.length, own.at(-1)?.end ?? code.length];
}

/**
 * @param {{ sources: string[], sourcesContent: string[] }} map with a content for each source
 * @returns {(mapping: Origin) => { module: string, name: string }}
 */
function unitFinder({ sources, sourcesContent }) {
  const modules = new Map(
    sources.map((source, nth) => {
      const code = String(sourcesContent[nth]);
      return [source, { lineStarts: startsOfLines(code), units: unitsOf(parseAst(code), code) }];
    }),
  );
  return ({ source, originalLine, originalColumn }) => {
    const found = source === null ? undefined : modules.get(source);
    if (!source || !found) return BUNDLER;
    const at = Number(found.lineStarts[(originalLine ?? 1) - 1]) + (originalColumn ?? 0);
    const unit = found.units.find(({ start, end }) => start <= at && at < end);
    return { module: shortPath(source), name: unit?.name ?? "(module)" };
  };
}

/**
 * @param {any} program
 * @param {string} code
 * @returns {Unit[]}
 */
function unitsOf({ body }, code) {
  return body.flatMap((/** @type {any} */ statement) => {
    const { declaration } = statement;
    const node = /^Export/.test(statement.type) && declaration ? declaration : statement;
    if (node.type === "VariableDeclaration") {
      return node.declarations.flatMap((/** @type {any} */ { id, init, start, end }) => {
        const name = id.name ?? "(several)";
        return init?.type === "ClassExpression"
          ? unitsOfClass(init, name, code)
          : [{ name, start, end }];
      });
    }
    if (node.type === "ClassDeclaration") {
      return unitsOfClass(node, node.id?.name ?? "default", code);
    }
    if (node.type === "FunctionDeclaration") return [{ ...node, name: node.id?.name ?? "default" }];
    return [];
  });
}

/**
 * Its members, and after them what of it they are not.
 *
 * @param {any} node
 * @param {string} name
 * @param {string} code
 * @returns {Unit[]}
 */
function unitsOfClass({ body, start, end }, name, code) {
  const members = body.body.map((/** @type {any} */ { computed, key, ...member }) => {
    const written = key ? code.slice(key.start, key.end) : "static";
    return {
      name: computed ? `${name}[${written}]` : `${name}.${written}`,
      start: member.start,
      end: member.end,
    };
  });
  return [...members, { name, start, end }];
}

/** @param {string} code */
function startsOfLines(code) {
  return [0, ...[...code.matchAll(/\n/g)].map(({ index }) => index + 1)];
}

/**
 * A module's path in this project, or in the package that it is from.
 *
 * @param {string} source as in a source map, by a path from its file
 */
function shortPath(source) {
  return source
    .replace(/\?.*$/, "")
    .replace(/^.*node_modules\//, "")
    .replace(/^(\.\.\/)+/, "");
}

/**
 * @param {Folder} folder
 * @param {string} path
 * @returns {Folder}
 */
function folderOf(folder, path) {
  return path.split("/").reduce((parent, name) => {
    const known = parent.children.find((each) => each.name === name && "children" in each);
    if (known && "children" in known) return known;
    /** @type {Folder} */
    const created = { name, children: [] };
    parent.children.push(created);
    return created;
  }, folder);
}
