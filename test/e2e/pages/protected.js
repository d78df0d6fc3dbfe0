// A page under a strict policy, which uses the dialog only by events. The query names the
// homeserver: ?homeserver=http://localhost:…
const base = `${new URLSearchParams(location.search).get("homeserver")}/_matrix/client/v3`;
const dialog = document.querySelector("uia-dialog");
const headers = {};
window.events = [];

const send = async (method, path, body) => {
  const response = await fetch(base + path, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  const data = text.startsWith("{") ? JSON.parse(text) : {};
  if (response.ok) return data;
  throw Object.assign(new Error(data.error), { httpStatus: response.status, data });
};

dialog.client = {
  getFallbackAuthUrl: (stage, session) => `${base}/auth/${stage}/fallback/web?session=${session}`,
};
dialog.addEventListener("uia-do-request", (event) => {
  event.respondWith(
    send("DELETE", "/devices/KITCHEN", { auth: event.detail.authData ?? undefined }),
  );
});
dialog.addEventListener("uia-request-email-token", (event) => {
  const { email, secret: client_secret, attempt: send_attempt } = event.detail;
  event.respondWith(
    send("POST", "/account/3pid/email/requestToken", { email, client_secret, send_attempt }),
  );
});
dialog.addEventListener("uia-request-phone-token", (event) => {
  const { country, phone: phone_number, secret: client_secret, attempt } = event.detail;
  event.respondWith(
    send("POST", "/account/3pid/msisdn/requestToken", {
      country,
      phone_number,
      client_secret,
      send_attempt: attempt,
    }),
  );
});
for (const type of ["uia-success", "uia-cancel", "uia-error"]) {
  dialog.addEventListener(type, ({ detail }) => window.events.push({ type, code: detail.code }));
}
document.querySelector("#begin").addEventListener("click", async () => {
  const identifier = { type: "m.id.user", user: "alice" };
  const signIn = { type: "m.login.password", identifier, password: "alice-demo-password" };
  const { access_token: token } = await send("POST", "/login", signIn);
  headers.Authorization = `Bearer ${token}`;
  dialog.open = true;
});
