import { showNotice } from "./session.js";

/** Sets up the sign-in page. */
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

/** Shows the demo's accounts only for the homeserver that runs with the demo. */
function showAccounts(homeserver) {
  document.querySelector("#accounts").hidden = !/^localhost:\d+$/.test(homeserver.trim());
}
