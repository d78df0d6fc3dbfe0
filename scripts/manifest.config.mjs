// What `npm run build` makes of the sources for editors and other tools: custom-elements.json, and from
// that dist/vscode.html-custom-data.json and dist/web-types.json.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { customElementJetBrainsPlugin } from "custom-element-jet-brains-integration";
import { customElementVsCodePlugin } from "custom-element-vs-code-integration";

const declarationsOf = ({ modules }) => modules.flatMap(({ declarations = [] }) => declarations);

/** The analyzer guesses an event of each `dispatchEvent(new …Event(…))`; ours are all documented. */
const withoutGuessedEvents = {
  name: "without-guessed-events",
  packageLinkPhase({ customElementsManifest }) {
    for (const declaration of declarationsOf(customElementsManifest)) {
      declaration.events = declaration.events?.filter(({ description }) => description);
      if (declaration.events?.length === 0) delete declaration.events;
    }
  },
};

/** Members that only the class itself uses are no part of the contract. */
const withoutPrivateMembers = {
  name: "without-private-members",
  packageLinkPhase({ customElementsManifest }) {
    for (const declaration of declarationsOf(customElementsManifest)) {
      declaration.members = declaration.members?.filter(
        ({ privacy, name }) =>
          privacy !== "private" && privacy !== "protected" && !name.startsWith("#"),
      );
      if (declaration.members?.length === 0) delete declaration.members;
    }
  },
};

/** Types are nothing that a script can import. */
const withoutTypeExports = {
  name: "without-type-exports",
  packageLinkPhase({ customElementsManifest }) {
    const names = new Set(declarationsOf(customElementsManifest).map(({ name }) => name));
    for (const module of customElementsManifest.modules) {
      module.exports = module.exports?.filter(({ declaration }) => names.has(declaration.name));
    }
    customElementsManifest.modules = customElementsManifest.modules.filter(
      ({ exports = [] }) => exports.length > 0,
    );
  },
};

/** `type Name = "one" | "other";`, anywhere in the sources: editors offer these values. */
const literalUnions = new Map(
  readdirSync("src", { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join("src", file), "utf8"))
    .flatMap((text) => [...text.matchAll(/^export type (\w+) = ("[^;=(]+");$/gm)])
    .map(([, name, union]) => [name, union]),
);

const withLiterals = {
  name: "with-literals",
  packageLinkPhase({ customElementsManifest }) {
    for (const { attributes = [], members = [] } of declarationsOf(customElementsManifest)) {
      for (const { type } of [...attributes, ...members]) {
        const [name, ...rest] = type?.text.split(" ") ?? [];
        if (literalUnions.has(name)) type.text = [literalUnions.get(name), ...rest].join(" ");
      }
    }
  },
};

/** As `AuthElement` names them. */
const withDashedAttributes = {
  name: "with-dashed-attributes",
  packageLinkPhase({ customElementsManifest }) {
    for (const { attributes = [], members = [] } of declarationsOf(customElementsManifest)) {
      for (const attribute of attributes) {
        const { name, fieldName } = attribute;
        attribute.name = fieldName.replace(/[A-Z]/g, "-$&").toLowerCase();
        const member = members.find((each) => each.name === fieldName);
        if (member?.attribute === name) member.attribute = attribute.name;
      }
    }
  },
};

/** Tells which module registers an element: that of its name, the frame's with the dialog too, and `define`. */
const withDefinitions = {
  name: "with-definitions",
  packageLinkPhase({ customElementsManifest }) {
    for (const { path, declarations = [] } of customElementsManifest.modules) {
      for (const { tagName, name } of declarations.filter(({ customElement }) => customElement)) {
        if (!tagName) continue;
        const also = tagName === "uia-fallback-frame" ? ["src/define/uia-dialog.ts"] : [];
        for (const definer of [`src/define/${tagName}.ts`, "src/define/index.ts", ...also]) {
          customElementsManifest.modules
            .find((module) => module.path === definer)
            .exports.push({
              kind: "custom-element-definition",
              name: tagName,
              declaration: { name, module: path },
            });
        }
      }
    }
  },
};

/** Says where each thing is in the package, which has no sources. */
const asPublished = {
  name: "as-published",
  packageLinkPhase({ customElementsManifest }) {
    customElementsManifest.schemaVersion = "2.1.0";
    customElementsManifest.readme = "README.md";
    const published = (path) => path.replace(/^\/?src\//, "dist/").replace(/\.ts$/, ".js");
    const visit = (node, folder) => {
      for (const [key, value] of Object.entries(node)) {
        if (typeof value === "object" && value !== null) visit(value, folder);
        else if (key === "path") node[key] = published(value);
        // The analyzer leaves what a module exports again as it is written there.
        else if (key === "module") {
          node[key] = published(value.startsWith(".") ? posix.join(folder, value) : value);
        }
      }
    };
    for (const module of customElementsManifest.modules) visit(module, posix.dirname(module.path));
  },
};

/** Files come in the order of the file system, which is another on each machine. */
const inOrder = {
  name: "in-order",
  packageLinkPhase({ customElementsManifest }) {
    customElementsManifest.modules.sort((a, b) => (a.path < b.path ? -1 : 1));
  },
};

const EDITOR_OPTIONS = { outdir: "dist", descriptionSrc: "description", hideLogs: true };

/** What is written in HTML: it has no static methods, and an attribute that is there is a text, never undefined. */
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

export default {
  globs: [
    "src/elements/*/oidc-{login,callback}.ts",
    "src/elements/*/uia-{dialog,fallback-frame}.ts",
    "src/elements/*/matrix-login.ts",
    "src/elements/shared/{auth,login}-element.ts",
    "src/events/*.ts",
    "src/define/*.ts",
  ],
  litelement: true,
  plugins: [
    withoutGuessedEvents,
    withoutPrivateMembers,
    withDashedAttributes,
    withoutTypeExports,
    withLiterals,
    inOrder,
    withDefinitions,
    asPublished,
    forEditors(customElementVsCodePlugin({ ...EDITOR_OPTIONS, cssFileName: null })),
    forEditors(customElementJetBrainsPlugin({ ...EDITOR_OPTIONS, packageJson: false })),
  ],
};
