import "matrix-auth-elements/define";
import { errorText } from "matrix-auth-elements";
import { HomeserverClient } from "matrix-auth-elements/core";
import { baseUrl, keepSession, say } from "./password-session.js";
import { logEvents } from "./event-log.js";

const dialog = document.querySelector("uia-dialog");
const client = new HomeserverClient({ baseUrl });

dialog.client = client;
dialog.requestEmailToken = (email, secret, attempt) =>
  client.requestRegisterEmailToken(email, secret, attempt);
dialog.requestPhoneToken = (country, phone, secret, attempt) =>
  client.requestRegisterMsisdnToken(country, phone, secret, attempt);
logEvents([dialog], document.querySelector("#log"));

document.querySelector("#register").addEventListener("submit", async (event) => {
  event.preventDefault();
  say("problem");
  const values = new FormData(event.target);
  const wanted = {
    username: values.get("user"),
    password: values.get("password"),
    initial_device_display_name: "Lantern",
  };
  dialog.inputs = { emailAddress: values.get("email") || undefined };
  try {
    const registered = await dialog.authenticate((auth) => client.register({ ...wanted, auth }));
    await keepSession({
      homeserverUrl: baseUrl,
      userId: registered.user_id,
      deviceId: registered.device_id,
      accessToken: registered.access_token,
    });
    location.assign("settings.html");
  } catch (error) {
    say("problem", await errorText(error));
  }
});
