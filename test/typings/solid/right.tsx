// What must compile.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/solid";
import { createSignal, type JSX } from "solid-js";
import {
  HomeserverClient,
  type UiaDialogElement,
  type UiaSuccessEvent,
} from "matrix-auth-elements";

const client = new HomeserverClient({ baseUrl: "https://hs.example", accessToken: "token" });
const listener = ({ detail }: UiaSuccessEvent): void => void detail.result;

export function Page(props: { maybe: string | undefined }): JSX.Element {
  // eslint-disable-next-line no-unassigned-vars -- Solid assigns what `ref` names.
  let dialog: UiaDialogElement | undefined;
  const [busy, setBusy] = createSignal(false);
  return (
    <>
      <oidc-login />
      <oidc-login
        class="wide"
        classList={{ wide: true }}
        slot="login"
        lang="de"
        aria-label="Sign in"
        homeserver={props.maybe}
        client-id="client"
        attr:login-hint={props.maybe}
        prop:redirectUri="/callback"
        response-mode="fragment"
        registration="reuse"
        disabled={props.maybe === undefined}
        prop:clientMetadata={{ clientName: "Client", contacts: ["mailto:me@app.example"] }}
        on:oidc-login-start={(event) => {
          const homeserver: string | undefined = event.detail.homeserver;
          if (homeserver === undefined) event.preventDefault();
        }}
        on:oidc-redirect={({ detail }) => location.assign(detail.url)}
        on:oidc-cancel={({ detail }) => detail.reason === "refused"}
        on:oidc-error={({ detail, currentTarget }) => {
          const same: boolean = currentTarget.error === detail.error;
          return same && detail.code === "network_error";
        }}
        onClick={(event) => event.currentTarget.prepare()}
      >
        <b>Sign in</b>
      </oidc-login>
      <oidc-callback
        manual
        return-to="/account"
        persist="local"
        on:oidc-success={{
          handleEvent: ({ detail }) => detail.tokenResponse.access_token,
          once: true,
        }}
      />
      <uia-dialog
        ref={dialog}
        bool:open={busy()}
        prop:client={client}
        prop:doRequest={(authData) => client.deleteDevice("LAPTOP", authData)}
        prop:inputs={{ emailAddress: "alice@example.org" }}
        prop:supportedStages={["m.login.password"]}
        poll-interval={2000}
        on:uia-do-request={(event) => {
          event.respondWith(client.deleteDevice("LAPTOP", event.detail.authData));
        }}
        on:uia-request-email-token={(event) => event.respondWith({ sid: event.detail.secret })}
        on:uia-request-phone-token={(event) => event.respondWith({ sid: event.detail.country })}
        on:uia-state-updated={({ detail }) => detail.status.errcode}
        on:uia-busy-changed={({ detail }) => setBusy(detail.busy)}
        on:uia-success={listener}
        on:uia-cancel={(event) => event.preventDefault()}
        on:uia-error={({ detail }) => detail.code.startsWith("M_")}
      />
      <uia-fallback-frame
        mode="frame"
        stage="m.login.sso"
        session={props.maybe}
        prop:allowedOrigins={["https://hs.example"]}
        on:uia-fallback-open={({ detail }) => window.open(detail.url)}
        on:uia-fallback-done={({ currentTarget }) => currentTarget.open()}
        on:uia-fallback-close={({ detail }) => detail.stage}
        on:uia-fallback-blocked={({ detail }) => detail.session?.length}
      />
      <button onClick={() => dialog?.attemptAuth()}>Delete</button>
    </>
  );
}
