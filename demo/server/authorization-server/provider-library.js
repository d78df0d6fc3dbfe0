// @ts-check

// oidc-provider warns at import about every Node older than 22. It runs well on Node 20 (the tests
// sign in through it), and the warning would be the first thing that a newcomer reads. Remove this
// file when the project asks for Node 22.
const warn = console.warn;
console.warn = (...parts) => {
  if (!String(parts[0]).includes("Unsupported runtime")) warn(...parts);
};
// @ts-expect-error The package has no types.
const library = await import("oidc-provider").finally(() => {
  console.warn = warn;
});

export const { Provider, errors, interactionPolicy } = library;
