// Generates files for editors and other tools from the sources: custom-elements.json, and from that
// dist/vscode.html-custom-data.json, dist/web-types.json, and dist/element-contracts.d.ts.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { customElementJetBrainsPlugin } from "custom-element-jet-brains-integration";
import { customElementVsCodePlugin } from "custom-element-vs-code-integration";

const declarationsOf = ({ modules }) => modules.flatMap(({ declarations = [] }) => declarations);

/** Members for only the class itself are not part of the contract. */
const isPublic = ({ privacy, name }) => !/^(private|protected)$/.test(privacy) && !/^#/.test(name);

/** `type Name = "one" | "other";` in any source file: editors offer these values. */
const literalUnions = new Map(
  readdirSync("src", { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join("src", file), "utf8"))
    .flatMap((text) => [...text.matchAll(/^export type (\w+) = ("[^;=(]+");$/gm)])
    .map(([, name, union]) => [name, union]),
);

function describe(declaration) {
  // The analyzer guesses an event for each `dispatchEvent(new …Event(…))`. All of ours are documented.
  declaration.events = declaration.events?.filter(({ description }) => description);
  declaration.members = declaration.members?.filter(isPublic);
  for (const list of ["events", "members"]) {
    if (declaration[list]?.length === 0) delete declaration[list];
  }
  const { attributes = [], members = [] } = declaration;
  for (const { type } of [...attributes, ...members]) {
    const [name, ...rest] = type?.text.split(" ") ?? [];
    if (literalUnions.has(name)) type.text = [literalUnions.get(name), ...rest].join(" ");
  }
  // The names follow those of `AuthElement`.
  for (const attribute of attributes) {
    const { name, fieldName } = attribute;
    attribute.name = fieldName.replace(/[A-Z]/g, "-$&").toLowerCase();
    const member = members.find((each) => each.name === fieldName);
    if (member?.attribute === name) member.attribute = attribute.name;
  }
}

/** Replaces a part like `dialog-*` by the parts of the inner element, which have this prefix. */
function listInnerParts(declaration, _index, declarations) {
  declaration.cssParts = declaration.cssParts?.flatMap((part) => {
    if (!part.name.endsWith("*")) return part;
    const [, tag] = /<([\w-]+)>/.exec(part.description);
    const inner = declarations.find(({ tagName }) => tagName === tag);
    return inner.cssParts.map(({ name, description }) => {
      const [sentence] = description.split(/(?<=\.) /);
      const first = sentence[0].toLowerCase();
      return {
        name: part.name.replace("*", name),
        description: `Of \`<${tag}>\`: ${first}${sentence.slice(1)}`,
      };
    });
  });
}

/** Adds the modules that register each element: its own, the dialog's for the frame, and `define`. */
function addDefinitions(modules) {
  for (const { path, declarations = [] } of modules) {
    for (const { tagName, name } of declarations.filter((each) => each.tagName)) {
      const also = tagName === "uia-fallback-frame" ? ["src/define/uia-dialog.ts"] : [];
      for (const definer of [`src/define/${tagName}.ts`, "src/define/index.ts", ...also]) {
        const { exports } = modules.find((module) => module.path === definer);
        const declaration = { name, module: path };
        exports.push({ kind: "custom-element-definition", name: tagName, declaration });
      }
    }
  }
}

/** Replaces paths in the sources with paths in the package, which has no sources. */
function publish(node, folder) {
  const published = (path) => path.replace(/^\/?src\//, "dist/").replace(/\.ts$/, ".js");
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === "object" && value !== null) publish(value, folder);
    else if (key === "path") node[key] = published(value);
    // The analyzer doesn't resolve re-exports.
    else if (key === "module") {
      node[key] = published(value.startsWith(".") ? posix.join(folder, value) : value);
    }
  }
}

const asPublished = {
  name: "as-published",
  packageLinkPhase({ customElementsManifest: manifest }) {
    declarationsOf(manifest).forEach(describe);
    declarationsOf(manifest).forEach(listInnerParts);
    // Scripts cannot import types.
    const names = new Set(declarationsOf(manifest).map(({ name }) => name));
    for (const module of manifest.modules) {
      module.exports = module.exports?.filter(({ declaration }) => names.has(declaration.name));
    }
    manifest.modules = manifest.modules
      .filter(({ exports = [] }) => exports.length > 0)
      // The order of files in the file system differs between machines.
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    addDefinitions(manifest.modules);
    manifest.schemaVersion = "2.1.0";
    manifest.readme = "README.md";
    for (const module of manifest.modules) publish(module, posix.dirname(module.path));
  },
};

const EDITOR_OPTIONS = { outdir: "dist", descriptionSrc: "description", hideLogs: true };

/**
 * Elements as HTML has them: without static methods, and with string attributes, never undefined.
 */
const forEditors = (plugin) => ({
  ...plugin,
  packageLinkPhase({ customElementsManifest, ...rest }) {
    const forHtml = structuredClone(customElementsManifest);
    for (const declaration of declarationsOf(forHtml)) {
      declaration.members = declaration.members?.filter((member) => !member.static);
      for (const { type } of declaration.attributes ?? []) {
        type.text = type.text.replace(" | undefined", "").replace(/readonly \w+\[\] \| /, "");
      }
    }
    plugin.packageLinkPhase({ customElementsManifest: forHtml, ...rest });
  },
});

/**
 * The properties and events of each element, from which the files of types/ derive the types for frameworks.
 */
const elementContracts = {
  name: "element-contracts",
  packageLinkPhase({ customElementsManifest }) {
    const union = (names) => names.map(({ name }) => JSON.stringify(name)).join(" | ") || "never";
    const elements = declarationsOf(customElementsManifest).filter(({ tagName }) => tagName);
    const contracts = elements.map(
      ({ name, tagName, attributes = [], members = [], events = [] }) => {
        const settable = members.filter(
          (member) =>
            member.kind === "field" && !member.static && !member.readonly && !member.attribute,
        );
        return `  "${tagName}": {
    element: ${name};
    /** Properties that have an attribute too: \`clientId\` has \`client-id\`. */
    attributes: ${union(attributes.map(({ fieldName }) => ({ name: fieldName })))};
    /** Properties that have none. */
    properties: ${union(settable)};
    events: ${union(events)};
  };`;
      },
    );
    const text = `import type { ${elements.map(({ name }) => name).join(", ")} } from "./index.js";

export interface Contracts {
${contracts.join("\n")}
}
`;
    writeFileSync("dist/element-contracts.d.ts", text);
  },
};

export default {
  globs: [
    "src/elements/*/oidc-{login,callback}.ts",
    "src/elements/*/uia-{dialog,fallback-frame}.ts",
    "src/elements/*/matrix-{account,login}.ts",
    "src/ui/element.ts",
    "src/sign-in/login-element.ts",
    "src/events/*.ts",
    "src/define/*.ts",
  ],
  litelement: true,
  plugins: [
    asPublished,
    elementContracts,
    forEditors(customElementVsCodePlugin({ ...EDITOR_OPTIONS, cssFileName: null })),
    forEditors(customElementJetBrainsPlugin({ ...EDITOR_OPTIONS, packageJson: false })),
  ],
};
