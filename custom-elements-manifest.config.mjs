/** The analyzer adds an event without a name for each `dispatchEvent(new …Event())`. */
const withoutNamelessEvents = {
  name: "without-nameless-events",
  packageLinkPhase({ customElementsManifest }) {
    for (const { declarations = [] } of customElementsManifest.modules) {
      for (const declaration of declarations) {
        declaration.events = declaration.events?.filter(({ name }) => name);
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
          ({ privacy, name }) => privacy === undefined && !name.startsWith("#"),
        );
        if (declaration.members?.length === 0) delete declaration.members;
      }
    }
  },
};

export default {
  globs: ["src/elements/**/*.ts", "src/events/*.ts", "src/define.ts", "src/oidc-*.ts"],
  exclude: ["**/*.styles.ts", "src/elements/shared/!(auth-element).ts"],
  litelement: true,
  plugins: [withoutNamelessEvents, withoutPrivateMembers],
};
