// What clients register, and what a provider responds.

export type Members = Readonly<Record<string, unknown>>;

/** A client's metadata, and the response to its registration. */
export type Registration = readonly [title: string, client: Members, expected: string];

export const CLIENT = {
  client_uri: "https://app.example/",
  redirect_uris: ["https://app.example/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
};
export const NATIVE = { ...CLIENT, application_type: "native" };
export const redirectingTo = (client: object, ...redirect_uris: string[]): Members => ({ ...client, redirect_uris });

const METADATA = "400 invalid_client_metadata";
export const REDIRECT = "400 invalid_redirect_uri";

/** The responses of Matrix Authentication Service. tuwunel rejects the same clients. */
export const REGISTRATIONS: readonly Registration[] = [
  ["a web app on https", CLIENT, "registered"],
  ["a redirect URI on a subdomain", redirectingTo(CLIENT, "https://www.app.example/"), "registered"],
  ["a redirect URI on another host", redirectingTo(CLIENT, "https://other.example/"), REDIRECT],
  ["a redirect URI on a host that only ends alike", redirectingTo(CLIENT, "https://myapp.example/"), REDIRECT],
  ["a redirect URI with a fragment", redirectingTo(CLIENT, "https://app.example/#a"), REDIRECT],
  ["a redirect URI with a password", redirectingTo(CLIENT, "https://a:b@app.example/"), REDIRECT],
  ["a redirect URI with a port on https", redirectingTo(CLIENT, "https://app.example:8443/"), "registered"],
  ["a web app on http", redirectingTo(CLIENT, "http://localhost/"), REDIRECT],
  ["a native app on localhost", redirectingTo(NATIVE, "http://localhost/callback"), "registered"],
  ["a native app on 127.0.0.1", redirectingTo(NATIVE, "http://127.0.0.1/"), "registered"],
  ["a native app on [::1]", redirectingTo(NATIVE, "http://[::1]/"), "registered"],
  ["a native app on another loopback host", redirectingTo(NATIVE, "http://app.localhost/"), REDIRECT],
  ["a native app that claims https", NATIVE, "registered"],
  ["a native app on https on a loopback host", redirectingTo(NATIVE, "https://localhost/"), REDIRECT],
  ["the scheme of the home page in reverse", redirectingTo(NATIVE, "example.app.tv:/callback"), "registered"],
  ["a web app's home page in reverse as a scheme", redirectingTo(CLIENT, "example.app:/callback"), REDIRECT],
  ["the scheme of another domain", redirectingTo(NATIVE, "com.example:/callback"), REDIRECT],
  ["a scheme with an authority", redirectingTo(NATIVE, "example.app://callback"), REDIRECT],
  ["no redirect URI", redirectingTo(CLIENT), REDIRECT],
  ["no home page", { ...CLIENT, client_uri: undefined }, REDIRECT],
  ["a native app without a home page", { ...redirectingTo(NATIVE, "http://127.0.0.1/"), client_uri: undefined }, METADATA],
  ["a home page on http", { ...CLIENT, client_uri: "http://app.example/" }, METADATA],
  ["a home page on https on a loopback host", { ...CLIENT, client_uri: "https://localhost/" }, REDIRECT],
  ["a logo on another host", { ...CLIENT, logo_uri: "https://cdn.example/logo.png" }, METADATA],
  ["terms over http", { ...CLIENT, tos_uri: "http://app.example/terms" }, METADATA],
];
