"use client";

import { errorText } from "matrix-auth-elements";
import { OidcLogin } from "matrix-auth-elements/react";
import { useState, type FormEvent } from "react";
import { enterByPassword } from "./account";

interface Props {
  clientName: string;
  redirectUri: string;
  returnTo: string | undefined;
  /** Called after a sign-in with a password. */
  onSignedIn: () => void;
}

export function SignInForm({ clientName, redirectUri, returnTo, onSignedIn }: Props) {
  const [homeserver, setHomeserver] = useState("");
  const [problem, setProblem] = useState("");

  async function onPassword(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const [user, password] = [String(values.get("user")), String(values.get("password"))];
    setProblem("");
    try {
      await enterByPassword(homeserver, user, password);
      onSignedIn();
    } catch (error) {
      setProblem(await errorText(error));
    }
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

      <OidcLogin
        homeserver={homeserver}
        disabled={!homeserver}
        clientName={clientName}
        redirectUri={redirectUri}
        returnTo={returnTo}
      >
        Continue with your homeserver
        <form slot="error-oidc_not_supported" onSubmit={(event) => void onPassword(event)}>
          <label>
            User <input name="user" autoComplete="username" required />
          </label>
          <label>
            Password
            <input name="password" type="password" autoComplete="current-password" required />
          </label>
          <button>Sign in with a password</button>
        </form>
      </OidcLogin>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </main>
  );
}
