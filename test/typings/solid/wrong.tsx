// What must be an error, each line for itself.
import "matrix-auth-elements/types/solid";
import type { UiaErrorEvent } from "matrix-auth-elements";

const ofAnother = ({ detail }: UiaErrorEvent): string => detail.code;

export const wrong = [
  // @ts-expect-error No such attribute.
  <oidc-login homserver="example.org" />,
  // @ts-expect-error Not of this element.
  <oidc-callback homeserver="example.org" />,
  // @ts-expect-error No such value.
  <oidc-callback persist="forever" />,
  // @ts-expect-error Solid would set `clientid`.
  <oidc-login clientId="client" />,
  // @ts-expect-error Only a property.
  <uia-dialog supportedStages={["m.login.password"]} />,
  // @ts-expect-error Attributes of text take no numbers.
  <oidc-login client-id={1} />,
  // @ts-expect-error Nor do properties.
  <oidc-login prop:clientId={1} />,
  // @ts-expect-error No such property.
  <oidc-login prop:clientID="client" />,
  // @ts-expect-error None of the two values.
  <oidc-login response-mode="post" />,
  // @ts-expect-error None of the two values.
  <uia-fallback-frame attr:mode="tab" />,
  // @ts-expect-error Not a boolean.
  <oidc-login disabled="disabled" />,
  // @ts-expect-error It would be set to "false", which counts as set.
  <oidc-login attr:disabled={false} />,
  // @ts-expect-error Not a boolean.
  <uia-dialog bool:open="open" />,
  // @ts-expect-error No number.
  <uia-dialog poll-interval="often" />,
  // @ts-expect-error No such field.
  <oidc-login prop:clientMetadata={{ clientname: "Client" }} />,
  // @ts-expect-error A list of stages.
  <uia-dialog prop:supportedStages="m.login.password" />,
  // @ts-expect-error Can only be read.
  <uia-dialog prop:state="idle" />,
  // @ts-expect-error The event's detail has another shape.
  <uia-dialog on:uia-success={({ detail }) => detail.code} />,
  // @ts-expect-error A listener of another event.
  <uia-dialog on:uia-success={ofAnother} />,
  // @ts-expect-error The answer lacks its `sid`.
  <uia-dialog on:uia-request-email-token={(event) => event.respondWith({})} />,
  // @ts-expect-error No listener.
  <oidc-callback on:oidc-success="done" />,
  // @ts-expect-error The element has no such method.
  <oidc-login on:oidc-error={({ currentTarget }) => currentTarget.attemptAuth()} />,
  // @ts-expect-error No such element.
  <oidc-logout />,
];
