import { Component, CUSTOM_ELEMENTS_SCHEMA, signal } from "@angular/core";
import {
  DIALOG_ATTRIBUTES,
  FIRST,
  FRAME_ATTRIBUTES,
  recordEvent,
  LOGIN_ATTRIBUTES,
  type Shown,
} from "../../contract";

export const shown = signal<Shown>(FIRST);

@Component({
  selector: "app-contract",
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <oidc-login id="plain"></oidc-login>
    @if (shown().login) {
      <oidc-login
        id="login"
        [homeserver]="shown().homeserver"
        [mode]="shown().mode"
        [attr.redirect-uri]="shown().redirectUri"
        [disabled]="shown().disabled"
        [clientMetadata]="shown().clientMetadata"
        (oidc-login-start)="recordEvent($event)"
        (oidc-redirect)="recordEvent($event)"
        (oidc-success)="recordEvent($event)"
        (oidc-cancel)="recordEvent($event)"
        (oidc-error)="recordEvent($event)"
      >
        Label {{ shown().label }}
      </oidc-login>
    }
    @if (shown().callback) {
      <oidc-callback
        id="callback"
        (oidc-success)="recordEvent($event)"
        (oidc-cancel)="recordEvent($event)"
        (oidc-error)="recordEvent($event)"
      ></oidc-callback>
    }
    <div id="provider">
      @if (shown().dialog) {
        <uia-dialog
          id="dialog"
          [open]="shown().open"
          [attr.poll-interval]="shown().pollInterval"
          [supportedStages]="shown().supportedStages"
          [inputs]="shown().inputs"
          (uia-do-request)="recordEvent($event)"
          (uia-request-email-token)="recordEvent($event)"
          (uia-request-phone-token)="recordEvent($event)"
          (uia-state-updated)="recordEvent($event)"
          (uia-busy-changed)="recordEvent($event)"
          (uia-success)="recordEvent($event)"
          (uia-cancel)="recordEvent($event)"
          (uia-error)="recordEvent($event)"
        >
          <p slot="description">Description {{ shown().label }}</p>
        </uia-dialog>
      }
    </div>
    @if (shown().frame) {
      <uia-fallback-frame
        id="frame"
        stage="m.login.sso"
        session="session"
        [url]="shown().homeserver"
        (uia-fallback-open)="recordEvent($event)"
        (uia-fallback-done)="recordEvent($event)"
        (uia-fallback-close)="recordEvent($event)"
        (uia-fallback-blocked)="recordEvent($event)"
      ></uia-fallback-frame>
    }

    <div hidden>
      <oidc-login
        id="login-attributes"
        [attr.homeserver]="login.homeserver"
        [attr.issuer]="login.issuer"
        [attr.client-id]="login['client-id']"
        [attr.redirect-uri]="login['redirect-uri']"
        [attr.client-name]="login['client-name']"
        [attr.client-uri]="login['client-uri']"
        [attr.logo-uri]="login['logo-uri']"
        [attr.tos-uri]="login['tos-uri']"
        [attr.policy-uri]="login['policy-uri']"
        [attr.prompt]="login.prompt"
        [attr.login-hint]="login['login-hint']"
        [attr.device-id]="login['device-id']"
        [attr.identity-server]="login['identity-server']"
        [attr.return-to]="login['return-to']"
        [attr.response-mode]="login['response-mode']"
        [attr.registration]="login.registration"
        [attr.mode]="login.mode"
        disabled
      ></oidc-login>
      <oidc-callback
        id="callback-attributes"
        manual
        return-to="/account"
        persist="local"
      ></oidc-callback>
      <uia-dialog
        id="dialog-attributes"
        [attr.user-id]="dialog['user-id']"
        [attr.session-id]="dialog['session-id']"
        [attr.client-secret]="dialog['client-secret']"
        [attr.email-sid]="dialog['email-sid']"
        [attr.poll-interval]="dialog['poll-interval']"
        [attr.heading]="dialog.heading"
      ></uia-dialog>
      <uia-fallback-frame
        id="frame-attributes"
        [attr.stage]="frame.stage"
        [attr.session]="frame.session"
        [attr.homeserver]="frame.homeserver"
        [attr.mode]="frame.mode"
        [attr.url]="frame.url"
      ></uia-fallback-frame>
    </div>
  `,
})
export class ContractPage {
  protected readonly shown = shown;
  protected readonly recordEvent = recordEvent;
  protected readonly login = LOGIN_ATTRIBUTES;
  protected readonly dialog = DIALOG_ATTRIBUTES;
  protected readonly frame = FRAME_ATTRIBUTES;
}
