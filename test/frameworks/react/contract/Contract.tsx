import {
  DIALOG_ATTRIBUTES,
  FRAME_ATTRIBUTES,
  recordEvent,
  LOGIN_ATTRIBUTES,
  type Shown,
} from "../../contract";

export function Contract({ shown }: { shown: Shown }) {
  // Recreated on each render.
  const onEvent = (event: Event): void => recordEvent(event);
  return (
    <>
      <oidc-login id="plain" />
      {shown.login && (
        <oidc-login
          id="login"
          homeserver={shown.homeserver}
          mode={shown.mode}
          redirect-uri={shown.redirectUri}
          disabled={shown.disabled}
          clientMetadata={shown.clientMetadata}
          onoidc-login-start={onEvent}
          onoidc-redirect={onEvent}
          onoidc-success={onEvent}
          onoidc-cancel={onEvent}
          onoidc-error={onEvent}
        >
          Label {shown.label}
        </oidc-login>
      )}
      {shown.callback && (
        <oidc-callback
          id="callback"
          onoidc-success={onEvent}
          onoidc-cancel={onEvent}
          onoidc-error={onEvent}
        />
      )}
      <div id="provider">
        {shown.dialog && (
          <uia-dialog
            id="dialog"
            open={shown.open}
            poll-interval={shown.pollInterval}
            supportedStages={shown.supportedStages}
            inputs={shown.inputs}
            onuia-do-request={onEvent}
            onuia-request-email-token={onEvent}
            onuia-request-phone-token={onEvent}
            onuia-state-updated={onEvent}
            onuia-busy-changed={onEvent}
            onuia-success={onEvent}
            onuia-cancel={onEvent}
            onuia-error={onEvent}
          >
            <p slot="description">Description {shown.label}</p>
          </uia-dialog>
        )}
      </div>
      {shown.frame && (
        <uia-fallback-frame
          id="frame"
          stage="m.login.sso"
          session="session"
          url={shown.homeserver}
          onuia-fallback-open={onEvent}
          onuia-fallback-done={onEvent}
          onuia-fallback-close={onEvent}
          onuia-fallback-blocked={onEvent}
        />
      )}

      <div hidden>
        <oidc-login id="login-attributes" {...LOGIN_ATTRIBUTES} disabled />
        <oidc-callback id="callback-attributes" manual return-to="/account" persist="local" />
        <uia-dialog id="dialog-attributes" {...DIALOG_ATTRIBUTES} />
        <uia-fallback-frame id="frame-attributes" {...FRAME_ATTRIBUTES} />
      </div>
    </>
  );
}
