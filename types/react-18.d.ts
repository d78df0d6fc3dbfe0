// React 17 and 18 set no properties of custom elements and add no listeners to them. Instead of the tags, use the components
// of matrix-auth-elements/react: docs/get-started/react.md.
export {};
