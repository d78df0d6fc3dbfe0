import { pageThat } from "../responses.js";
import type { PopupRow } from "../row.js";
import { rfc } from "../sources.js";

const TABNABBING = "OWASP, reverse tabnabbing, https://owasp.org/www-community/attacks/Reverse_Tabnabbing";

/** The provider's page in a popup runs a script on its opener, and then signs the user in. */
const row = (id: string, source: string, script: string): PopupRow => ({
  id,
  source,
  deviation: { endpoints: { authorization: pageThat(script) } },
  control: { endpoints: { authorization: pageThat("") } },
});

/** A hostile provider's attacks on the app from a popup. */
export const POPUPS: readonly PopupRow[] = [
  row("popup-navigates-its-opener", TABNABBING, `opener.location = location.origin + "/elsewhere"`),
  row("popup-replaces-its-opener", TABNABBING, `opener.location.replace(location.origin + "/elsewhere")`),
  row("popup-navigates-the-top-of-its-opener", TABNABBING, `opener.top.location = location.origin + "/elsewhere"`),
  row(
    "popup-sends-a-response-to-its-opener",
    rfc(9700, "4.17"),
    `{
      const request = new URLSearchParams(location.search);
      const state = request.get("state");
      const response = request.get("redirect_uri") + "?" + new URLSearchParams({ state, code: "other" });
      opener.postMessage({ state, response }, "*");
    }`,
  ),
];
