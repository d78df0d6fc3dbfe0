// auth0-spa-js: one class for all. Its server's addresses are fixed, so it discovers nothing.
export { Auth0Client } from "@auth0/auth0-spa-js";
