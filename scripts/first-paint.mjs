/**
 * The files of the elements' rooms that are loaded before the first paint: of each element the file with its
 * name, and these. All others are loaded later, by `import()`. The linter and the build go by this list.
 */
const FIRST = [
  "elements/(?<tag>[^/]+)/\\k<tag>",
  "elements/oidc-callback/panel",
  "elements/uia-dialog/call",
  "errors/load-error-messages",
  "sign-in/(captured-response|load-completion|login-element|session-attributes)",
  "ui/(dom-stand-ins|element|error-box|focus|import-lit|loading|localize|operation|page|reload|styles|version)",
];

/** Matches the path of such a file below src/ or dist/. */
export const FIRST_PAINT = `(${FIRST.join("|")})\\.[jt]s$`;

/** Matches the path of a file of the same rooms that is loaded later. */
export const LOADED_LATER = `(?!${FIRST_PAINT})(elements|errors|sign-in|ui)/`;
