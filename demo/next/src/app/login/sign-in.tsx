"use client";

import { errorText } from "matrix-auth-elements";
import { OidcLogin } from "matrix-auth-elements/react";
import { useRouter } from "next/navigation";
import { useState, type FormEvent } from "react";
import { enterByPassword } from "../../account";
import { routeOf } from "../../session";

export function SignIn({ returnTo }: { returnTo: string | undefined }) {
  const router = useRouter();
  const [homeserver, setHomeserver] = useState("");
  const [problem, setProblem] = useState("");

  async function onPassword(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    const [user, password] = [String(values.get("user")), String(values.get("password"))];
    setProblem("");
    try {
      await enterByPassword(homeserver, user, password);
      router.replace(routeOf(returnTo));
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
        clientName="Next demo"
        redirectUri="/devices"
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
