import { Show } from "solid-js";
import {
  DIALOG_ATTRIBUTES,
  FRAME_ATTRIBUTES,
  recordEvent,
  LOGIN_ATTRIBUTES,
  type Shown,
} from "../contract";

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
          on:oidc-login-start={recordEvent}
          on:oidc-redirect={recordEvent}
          on:oidc-success={recordEvent}
          on:oidc-cancel={recordEvent}
          on:oidc-error={recordEvent}
        >
          Label {props.shown.label}
        </oidc-login>
      </Show>
      <Show when={props.shown.callback}>
        <oidc-callback
          id="callback"
          on:oidc-success={recordEvent}
          on:oidc-cancel={recordEvent}
          on:oidc-error={recordEvent}
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
            on:uia-do-request={recordEvent}
            on:uia-request-email-token={recordEvent}
            on:uia-request-phone-token={recordEvent}
            on:uia-state-updated={recordEvent}
            on:uia-busy-changed={recordEvent}
            on:uia-success={recordEvent}
            on:uia-cancel={recordEvent}
            on:uia-error={recordEvent}
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
          on:uia-fallback-open={recordEvent}
          on:uia-fallback-done={recordEvent}
          on:uia-fallback-close={recordEvent}
          on:uia-fallback-blocked={recordEvent}
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
