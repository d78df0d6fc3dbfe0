import { restoreSession } from "./cdn/session.js";

const login = document.querySelector("matrix-login");
const signedIn = document.querySelector("#signed-in");
const account = document.querySelector("matrix-account");

function use(session) {
  const render = () => {
    const isSignedIn = session?.state === "signed-in";
    login.hidden = isSignedIn;
    signedIn.hidden = !isSignedIn;
    signedIn.querySelector("output").value = session?.user.userId ?? "";
    account.session = isSignedIn ? session : undefined;
  };
  session?.addEventListener("session-changed", render);
  session?.addEventListener("session-ended", render);
  signedIn.querySelector("button").onclick = () => session?.signOut();
  render();
}

login.addEventListener("matrix-login-success", ({ detail }) => use(detail.session));
use(await restoreSession({ store: "localStorage" }));
