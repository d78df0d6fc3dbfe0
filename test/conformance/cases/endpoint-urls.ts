import { loginRows } from "../row.js";
import { rfc } from "../sources.js";

const FAULTY = { message: "OpSupport", code: "metadata_invalid" } as const;

/**
 * The URLs in a provider's metadata: the browser goes to some of them, and others are sent what
 * nobody else may see.
 */
export const ENDPOINT_URLS = loginRows(
  { source: rfc(8414, "2"), refused: FAULTY, reaches: "discovery" },
  [
    {
      id: "url-authorization-a-script",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { authorization_endpoint: "javascript:alert(document.domain)//" } },
      control: {
        metadata: ({ idp }) => ({ authorization_endpoint: `${idp.origin}/authorize?tenant=a` }),
      },
    },
    {
      id: "url-authorization-a-script-in-disguise",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { authorization_endpoint: " java\nscript:alert(1)" } },
    },
    {
      id: "url-authorization-data",
      source: rfc(9700, "4.11.2"),
      deviation: {
        metadata: { authorization_endpoint: "data:text/html,<script>alert(1)</script>" },
      },
    },
    {
      id: "url-authorization-a-blob",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: ({ idp }) => ({ authorization_endpoint: `blob:${idp.origin}/2c7b` }) },
    },
    {
      id: "url-authorization-a-file",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { authorization_endpoint: "file:///etc/passwd" } },
    },
    {
      id: "url-authorization-an-app",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { authorization_endpoint: "intent://scan/#Intent;scheme=zxing;end" } },
    },
    {
      id: "url-authorization-unencrypted",
      source: rfc(9700, "2.6"),
      deviation: { metadata: { authorization_endpoint: "http://idp.example/authorize" } },
      // On this very machine http is as good.
    },
    {
      id: "url-authorization-like-this-machine",
      source: rfc(9700, "2.6"),
      deviation: {
        metadata: ({ port }) => ({
          authorization_endpoint: `http://localhost.evil.example:${port}/authorize`,
        }),
      },
    },
    {
      id: "url-authorization-relative",
      deviation: { metadata: { authorization_endpoint: "/authorize" } },
      // What an endpoint has in its query stays, but does not stand in for what is ours.
      control: {
        metadata: ({ idp }) => ({
          authorization_endpoint: `${idp.origin}/authorize?state=theirs&client_id=theirs&scope=theirs`,
        }),
      },
    },
    {
      id: "url-authorization-without-scheme",
      deviation: {
        metadata: ({ idp }) => ({ authorization_endpoint: idp.origin.replace("http:", "") }),
      },
    },
    {
      id: "url-authorization-with-a-fragment",
      source: rfc(6749, "3.1"),
      deviation: {
        metadata: ({ idp }) => ({ authorization_endpoint: `${idp.origin}/authorize#/login` }),
      },
      control: {
        metadata: ({ idp }) => ({ authorization_endpoint: `${idp.origin}/authorize?a=%23b` }),
      },
    },
    {
      id: "url-authorization-with-a-name-in-it",
      source: rfc(9110, "4.2.4"),
      deviation: {
        metadata: ({ idp }) => ({
          authorization_endpoint: idp.origin.replace("//", "//accounts.example.org@"),
        }),
      },
    },
    {
      id: "url-token-unencrypted",
      source: rfc(9700, "2.6"),
      deviation: { metadata: { token_endpoint: "http://idp.example/token" } },
    },
    {
      id: "url-token-a-web-socket",
      deviation: { metadata: ({ idp }) => ({ token_endpoint: idp.origin.replace("http", "ws") }) },
    },
    { id: "url-token-relative", deviation: { metadata: { token_endpoint: "token" } } },
    {
      id: "url-token-with-a-password-in-it",
      source: rfc(9110, "4.2.4"),
      deviation: {
        metadata: ({ idp }) => ({ token_endpoint: `${idp.origin.replace("//", "//a:b@")}/token` }),
      },
    },
    {
      id: "url-token-with-a-fragment",
      source: rfc(6749, "3.2"),
      deviation: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin}/token#` }) },
      control: { metadata: ({ idp }) => ({ token_endpoint: `${idp.origin}/token?v=2` }) },
    },
    {
      id: "url-revocation-unencrypted",
      source: rfc(7009, "2"),
      deviation: { metadata: { revocation_endpoint: "http://idp.example/revoke" } },
    },
    {
      id: "url-registration-a-script",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { registration_endpoint: "javascript:alert(1)" } },
      control: { metadata: { registration_endpoint: "" }, login: { clientId: "known-to-all" } },
    },
    {
      id: "url-keys-unencrypted",
      deviation: { metadata: { jwks_uri: "http://idp.example/keys" } },
      control: { metadata: ({ idp }) => ({ jwks_uri: `${idp.origin}/keys` }) },
    },
    {
      id: "url-keys-of-the-document-itself",
      deviation: { metadata: { jwks_uri: 'data:application/json,{"keys":[]}' } },
      control: { metadata: { jwks_uri: null } },
    },
    {
      id: "url-account-management-a-script",
      source: rfc(9700, "4.11.2"),
      deviation: { metadata: { account_management_uri: "javascript:alert(1)" } },
      control: { metadata: ({ idp }) => ({ account_management_uri: `${idp.origin}/account?a=b` }) },
    },
    {
      id: "url-device-authorization-data",
      source: rfc(8628, "3.1"),
      deviation: { metadata: { device_authorization_endpoint: "data:," } },
      control: {
        metadata: ({ idp }) => ({ device_authorization_endpoint: `${idp.origin}/device` }),
      },
    },
    {
      id: "url-issuer-with-a-query",
      deviation: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/?tenant=a` }) },
      control: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/tenant/a` }) },
    },
    {
      id: "url-issuer-with-a-fragment",
      deviation: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/#` }) },
      control: { metadata: ({ idp }) => ({ issuer: `${idp.origin}/` }) },
    },
    { id: "url-issuer-unencrypted", deviation: { metadata: { issuer: "http://idp.example/" } } },
    { id: "url-issuer-no-url", deviation: { metadata: { issuer: "idp.example" } } },
    {
      id: "url-issuer-with-a-name-in-it",
      deviation: {
        metadata: ({ idp }) => ({ issuer: idp.origin.replace("//", "//accounts.example.org@") }),
      },
    },
  ],
);
