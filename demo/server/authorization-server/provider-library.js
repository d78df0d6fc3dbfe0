// @ts-check

// oidc-provider warns at import about Node versions before 22. It works with Node 20, with which the tests
// sign in, and a newcomer would see the warning first. Remove this file when the project requires Node 22.
const warn = console.warn;
console.warn = (...parts) => {
  if (!String(parts[0]).includes("Unsupported runtime")) warn(...parts);
};
// @ts-expect-error The package has no types.
const library = await import("oidc-provider").finally(() => {
  console.warn = warn;
});

export const { Provider, errors, interactionPolicy } = library;
