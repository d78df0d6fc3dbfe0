// What must compile.
import "matrix-auth-elements/define";
import "matrix-auth-elements/types/react";
import {
  HomeserverClient,
  type UiaDialogElement,
  type UiaSuccessEvent,
} from "matrix-auth-elements";

const client = new HomeserverClient({ baseUrl: "https://hs.example", accessToken: "token" });
const listener = ({ detail }: UiaSuccessEvent): void => void detail.result;

export function Page({ maybe }: { maybe: string | undefined }) {
  // As `useRef()` gives it.
  const dialog: { current: UiaDialogElement | null } = { current: null };
  return (
    <>
      <oidc-login />
      <oidc-login
        key="login"
        className="wide"
        slot="login"
        lang="de"
        aria-label="Sign in"
        data-test="login"
        homeserver={maybe}
        client-id="client"
        redirectUri="/callback"
        response-mode="fragment"
        registration="reuse"
        disabled={maybe === undefined}
        clientMetadata={{ clientName: "Client", contacts: ["mailto:me@app.example"] }}
        onoidc-login-start={(event) => {
          const homeserver: string | undefined = event.detail.homeserver;
          if (homeserver === undefined) event.preventDefault();
        }}
        onoidc-redirect={({ detail }) => location.assign(detail.url)}
        onoidc-cancel={({ detail }) => detail.reason === "refused"}
        onoidc-error={({ detail, currentTarget }) => {
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
        onoidc-success={({ detail }) => detail.tokenResponse.access_token}
      />
      <uia-dialog
        ref={dialog}
        open={false}
        client={client}
        doRequest={(authData) => client.deleteDevice("LAPTOP", authData)}
        inputs={{ emailAddress: "alice@example.org" }}
        supportedStages={["m.login.password"]}
        poll-interval={2000}
        onuia-do-request={(event) => {
          event.respondWith(client.deleteDevice("LAPTOP", event.detail.authData));
        }}
        onuia-request-email-token={(event) => event.respondWith({ sid: event.detail.secret })}
        onuia-request-phone-token={(event) => event.respondWith({ sid: event.detail.country })}
        onuia-state-updated={({ detail }) => detail.status.errcode}
        onuia-busy-changed={({ detail: { busy } }) => !busy}
        onuia-success={listener}
        onuia-cancel={(event) => event.preventDefault()}
        onuia-error={({ detail }) => detail.code.startsWith("M_")}
      />
      <uia-fallback-frame
        mode="frame"
        stage="m.login.sso"
        session={maybe}
        allowedOrigins={["https://hs.example"]}
        onuia-fallback-open={({ detail }) => window.open(detail.url)}
        onuia-fallback-done={({ currentTarget }) => currentTarget.open()}
        onuia-fallback-close={({ detail }) => detail.stage}
        onuia-fallback-blocked={({ detail }) => detail.session?.length}
      />
      <button onClick={() => dialog.current?.attemptAuth()}>Delete</button>
    </>
  );
}
