import { errorText } from "matrix-auth-elements";
import { loginWithPassword } from "matrix-auth-elements/core";
import { showNotice } from "./session.js";
import { baseUrl, keepSession, say } from "./password-session.js";

showNotice();

document.querySelector("#sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  say("problem");
  const values = new FormData(event.target);
  try {
    const result = await loginWithPassword({
      homeserverUrl: baseUrl,
      identifier: { type: "m.id.user", user: values.get("user") },
      password: values.get("password"),
      deviceName: "Lantern",
    });
    await keepSession(result);
    location.assign("settings.html");
  } catch (error) {
    say("problem", await errorText(error));
  }
});
