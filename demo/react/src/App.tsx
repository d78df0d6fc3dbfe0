import { useState, type FormEvent } from "react";
import { Devices } from "./Devices";
import { messageOf, openIdSession, passwordSession, type Session } from "./session";

export function App() {
  const [homeserver, setHomeserver] = useState("");
  const [problem, setProblem] = useState("");
  const [session, setSession] = useState<Session>();
  if (session) return <Devices session={session} />;

  async function enter(entering: Promise<Session>) {
    setProblem("");
    try {
      setSession(await entering);
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  function onPassword(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const [user, password] = [String(values.get("user")), String(values.get("password"))];
    void enter(passwordSession(homeserver, user, password));
  }

  return (
    <main>
      <h1>Sign in</h1>
      <label>
        Homeserver
        <input
          name="homeserver"
          list="demo"
          autoCapitalize="none"
          value={homeserver}
          onChange={({ target }) => setHomeserver(target.value.trim())}
        />
      </label>
      <datalist id="demo">
        <option value="localhost:8008">OAuth 2.0</option>
        <option value="localhost:8009">passwords</option>
      </datalist>

      <oidc-login homeserver={homeserver} disabled={!homeserver} clientName="React demo">
        Continue with your homeserver
        <form slot="error-oidc_not_supported" onSubmit={onPassword}>
          <label>
            User <input name="user" autoComplete="username" required />
          </label>
          <label>
            Password
            <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <button>Sign in with a password</button>
        </form>
      </oidc-login>
      <oidc-callback onoidc-success={({ detail }) => void enter(openIdSession(detail))} />
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}
