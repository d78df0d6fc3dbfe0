// What must be an error, each line for itself.
import "matrix-auth-elements/types/react";
import type { UiaErrorEvent } from "matrix-auth-elements";

const ofAnother = ({ detail }: UiaErrorEvent): string => detail.code;

export const wrong = [
  // @ts-expect-error No such attribute.
  <oidc-login homserver="example.org" />,
  // @ts-expect-error Not of this element.
  <oidc-callback homeserver="example.org" />,
  // @ts-expect-error No such value.
  <oidc-callback persist="forever" />,
  // @ts-expect-error Attributes of text take no numbers.
  <oidc-login client-id={1} />,
  // @ts-expect-error Nor do properties.
  <oidc-login clientId={1} />,
  // @ts-expect-error None of the two values.
  <oidc-login response-mode="post" />,
  // @ts-expect-error None of the two values.
  <uia-fallback-frame mode="tab" />,
  // @ts-expect-error Not a boolean.
  <oidc-login disabled="disabled" />,
  // @ts-expect-error No number.
  <uia-dialog poll-interval="often" />,
  // @ts-expect-error No such field.
  <oidc-login clientMetadata={{ clientname: "Client" }} />,
  // @ts-expect-error A list of stages.
  <uia-dialog supportedStages="m.login.password" />,
  // @ts-expect-error Can only be read.
  <uia-dialog state="idle" />,
  // @ts-expect-error The event's detail has another shape.
  <uia-dialog onuia-success={({ detail }) => detail.code} />,
  // @ts-expect-error A listener of another event.
  <uia-dialog onuia-success={ofAnother} />,
  // @ts-expect-error The answer lacks its `sid`.
  <uia-dialog onuia-request-email-token={(event) => event.respondWith({})} />,
  // @ts-expect-error No listener.
  <oidc-callback onoidc-success="done" />,
  // @ts-expect-error The element has no such method.
  <oidc-login onoidc-error={({ currentTarget }) => currentTarget.attemptAuth()} />,
  // @ts-expect-error No such element.
  <oidc-logout />,
];
