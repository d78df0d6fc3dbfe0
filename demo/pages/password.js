import { baseUrl, keepSession, say, takeNotice } from "./password-session.js";

say("notice", takeNotice() ?? "");

document.querySelector("#sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  say("problem");
  const values = new FormData(event.target);
  try {
    const response = await fetch(`${baseUrl}/_matrix/client/v3/login`, {
      method: "POST",
      body: JSON.stringify({
        type: "m.login.password",
        identifier: { type: "m.id.user", user: values.get("user") },
        password: values.get("password"),
        initial_device_display_name: "Lantern",
      }),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(body.error);
    keepSession(body);
    location.assign("settings.html");
  } catch (error) {
    say("problem", error.message);
  }
});
