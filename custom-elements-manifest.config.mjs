/** The analyzer guesses an event of each `dispatchEvent(new …Event(…))`; ours are all documented. */
const withoutGuessedEvents = {
  name: "without-guessed-events",
  packageLinkPhase({ customElementsManifest }) {
    for (const { declarations = [] } of customElementsManifest.modules) {
      for (const declaration of declarations) {
        declaration.events = declaration.events?.filter(({ description }) => description);
        if (declaration.events?.length === 0) delete declaration.events;
      }
    }
  },
};

/** Members that only the class itself uses are no part of the contract. */
const withoutPrivateMembers = {
  name: "without-private-members",
  packageLinkPhase({ customElementsManifest }) {
    for (const { declarations = [] } of customElementsManifest.modules) {
      for (const declaration of declarations) {
        declaration.members = declaration.members?.filter(
          ({ privacy, name }) =>
            privacy !== "private" && privacy !== "protected" && !name.startsWith("#"),
        );
        if (declaration.members?.length === 0) delete declaration.members;
      }
    }
  },
};

/** `export type *` is none that a script can import. */
const withoutTypeExports = {
  name: "without-type-exports",
  packageLinkPhase({ customElementsManifest }) {
    for (const module of customElementsManifest.modules) {
      module.exports = module.exports?.filter(({ name }) => name !== "*");
    }
  },
};

/** Files come in the order of the file system, which is another on each machine. */
const inOrder = {
  name: "in-order",
  packageLinkPhase({ customElementsManifest }) {
    customElementsManifest.modules.sort((a, b) => (a.path < b.path ? -1 : 1));
  },
};

export default {
  globs: [
    "src/elements/*/oidc-{login,callback}.ts",
    "src/elements/*/uia-{dialog,fallback-frame}.ts",
    "src/elements/shared/auth-element.ts",
    "src/events/*.ts",
    "src/define.ts",
    "src/{oidc,uia}-*.ts",
  ],
  litelement: true,
  plugins: [withoutGuessedEvents, withoutPrivateMembers, withoutTypeExports, inOrder],
};
