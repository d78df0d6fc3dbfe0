import { createSignal, Show } from "solid-js";
import { Devices } from "./Devices";
import { messageOf, openIdSession, passwordSession, type Session } from "./session";

export function App() {
  const [homeserver, setHomeserver] = createSignal("");
  const [problem, setProblem] = createSignal("");
  const [session, setSession] = createSignal<Session>();

  async function enter(entering: Promise<Session>) {
    setProblem("");
    try {
      setSession(await entering);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  function onPassword(event: SubmitEvent & { currentTarget: HTMLFormElement }) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const [user, password] = [String(values.get("user")), String(values.get("password"))];
    void enter(passwordSession(homeserver(), user, password));
  }

  const signIn = (
    <main>
      <h1>Sign in</h1>
      <label>
        Homeserver
        <input
          name="homeserver"
          list="demo"
          autocapitalize="none"
          value={homeserver()}
          onInput={({ currentTarget }) => setHomeserver(currentTarget.value.trim())}
        />
      </label>
      <datalist id="demo">
        <option value="localhost:8008">OAuth 2.0</option>
        <option value="localhost:8009">passwords</option>
      </datalist>

      <oidc-login homeserver={homeserver()} disabled={!homeserver()} client-name="Solid demo">
        Continue with your homeserver
        <form slot="error-oidc_not_supported" onSubmit={onPassword}>
          <label>
            User <input name="user" autocomplete="username" required />
          </label>
          <label>
            Password
            <input name="password" type="password" autocomplete="current-password" required />
          </label>
          <button>Sign in with a password</button>
        </form>
      </oidc-login>
      <oidc-callback on:oidc-success={({ detail }) => void enter(openIdSession(detail))} />
      <Show when={problem()}>
        <p class="problem" role="alert">
          {problem()}
        </p>
      </Show>
    </main>
  );

  return (
    <Show when={session()} fallback={signIn}>
      {(present) => <Devices session={present()} />}
    </Show>
  );
}
