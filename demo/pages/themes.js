// Shows the elements in their states. All of their styles are in themes.css.
import "matrix-auth-elements/define";

const byId = (id) => document.getElementById(id);
const dialog = byId("dialog");

const POLICIES = {
  privacy: { version: "1", en: { name: "Privacy policy", url: "https://matrix.org/legal/" } },
  terms: { version: "1", en: { name: "Terms of service", url: "https://matrix.org/legal/" } },
};

/** The response of a homeserver that requires a stage. */
const challenge = (stage, problem) =>
  Object.assign(new Error("A stage is required"), {
    httpStatus: 401,
    data: {
      session: "demo",
      flows: [{ stages: [stage, "m.login.dummy"] }],
      params: { "m.login.terms": { policies: POLICIES } },
      ...problem,
    },
  });

/** Sends no request: the first attempt fails, and the second one succeeds. */
const open = async (stage) => {
  let attempts = 0;
  await dialog.authenticate(async (auth) => {
    if (!auth?.type) throw challenge(stage);
    attempts += 1;
    if (attempts === 1) throw challenge(stage, { errcode: "M_FORBIDDEN", error: "Not that" });
  });
};

dialog.client = { baseUrl: "https://matrix.example.org" };
dialog.requestEmailToken = async () => ({ sid: "demo" });
for (const button of document.querySelectorAll("[data-stage]")) {
  button.addEventListener("click", () => open(button.dataset.stage).catch(() => undefined));
}
// This has the effect of a click.
void byId("failed").prepare();
// The response belongs to no request.
void byId("callback").complete("/callback.html?code=demo&state=nobody's");
