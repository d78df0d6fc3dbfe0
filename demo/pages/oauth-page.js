import { showNotice } from "./session.js";

/** Sets up the page for signing in. */
export function setUpLogin() {
  const logins = document.querySelectorAll("oidc-login");
  const homeserver = document.querySelector("#homeserver");
  const { clientUri } = document.querySelector("main").dataset;
  const own = homeserver.value;

  for (const login of logins) if (clientUri) login.clientUri = clientUri;
  homeserver.addEventListener("input", () => {
    for (const login of logins) login.homeserver = homeserver.value;
    showAccounts(homeserver.value);
  });
  showAccounts(own);
  showNotice();
}

/** The accounts are those of the homeserver that runs with the demo. */
function showAccounts(homeserver) {
  document.querySelector("#accounts").hidden = !/^localhost:\d+$/.test(homeserver.trim());
}
