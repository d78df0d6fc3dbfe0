import { Show } from "solid-js";
import {
  DIALOG_ATTRIBUTES,
  FRAME_ATTRIBUTES,
  hear,
  LOGIN_ATTRIBUTES,
  type Shown,
} from "../../contract";

export function Contract(props: { shown: Shown }) {
  return (
    <>
      <oidc-login id="plain" />
      <Show when={props.shown.login}>
        <oidc-login
          id="login"
          homeserver={props.shown.homeserver}
          mode={props.shown.mode}
          redirect-uri={props.shown.redirectUri}
          disabled={props.shown.disabled}
          prop:clientMetadata={props.shown.clientMetadata}
          on:oidc-login-start={hear}
          on:oidc-redirect={hear}
          on:oidc-success={hear}
          on:oidc-cancel={hear}
          on:oidc-error={hear}
        >
          Label {props.shown.label}
        </oidc-login>
      </Show>
      <Show when={props.shown.callback}>
        <oidc-callback
          id="callback"
          on:oidc-success={hear}
          on:oidc-cancel={hear}
          on:oidc-error={hear}
        />
      </Show>
      <div id="provider">
        <Show when={props.shown.dialog}>
          <uia-dialog
            id="dialog"
            open={props.shown.open}
            poll-interval={props.shown.pollInterval}
            prop:supportedStages={props.shown.supportedStages}
            prop:inputs={props.shown.inputs}
            on:uia-do-request={hear}
            on:uia-request-email-token={hear}
            on:uia-request-phone-token={hear}
            on:uia-state-updated={hear}
            on:uia-busy-changed={hear}
            on:uia-success={hear}
            on:uia-cancel={hear}
            on:uia-error={hear}
          >
            <p slot="description">Description {props.shown.label}</p>
          </uia-dialog>
        </Show>
      </div>
      <Show when={props.shown.frame}>
        <uia-fallback-frame
          id="frame"
          stage="m.login.sso"
          session="session"
          url={props.shown.homeserver}
          on:uia-fallback-open={hear}
          on:uia-fallback-done={hear}
          on:uia-fallback-close={hear}
          on:uia-fallback-blocked={hear}
        />
      </Show>

      <div hidden>
        <oidc-login id="login-attributes" {...LOGIN_ATTRIBUTES} disabled />
        <oidc-callback id="callback-attributes" manual return-to="/account" persist="local" />
        <uia-dialog id="dialog-attributes" {...DIALOG_ATTRIBUTES} />
        <uia-fallback-frame id="frame-attributes" {...FRAME_ATTRIBUTES} />
      </div>
    </>
  );
}
