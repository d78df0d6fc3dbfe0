// Shows the elements in their states. It styles nothing: themes.css does all of that.
import "matrix-auth-elements/define";

const byId = (id) => document.getElementById(id);
const dialog = byId("dialog");

const POLICIES = {
  privacy: { version: "1", en: { name: "Privacy policy", url: "https://matrix.org/legal/" } },
  terms: { version: "1", en: { name: "Terms of service", url: "https://matrix.org/legal/" } },
};

/** What a homeserver answers that asks for a stage. */
const ask = (stage, problem) =>
  Object.assign(new Error("A stage is asked for"), {
    httpStatus: 401,
    data: {
      session: "demo",
      flows: [{ stages: [stage, "m.login.dummy"] }],
      params: { "m.login.terms": { policies: POLICIES } },
      ...problem,
    },
  });

/** No homeserver is asked: the first try fails, the second is good. */
const open = async (stage) => {
  let tries = 0;
  await dialog.authenticate(async (auth) => {
    if (!auth?.type) throw ask(stage);
    tries += 1;
    if (tries === 1) throw ask(stage, { errcode: "M_FORBIDDEN", error: "Not that" });
  });
};

dialog.client = { baseUrl: "https://matrix.example.org" };
dialog.requestEmailToken = async () => ({ sid: "demo" });
for (const button of document.querySelectorAll("[data-stage]")) {
  button.addEventListener("click", () => open(button.dataset.stage).catch(() => undefined));
}
// An answer that was not asked for.
void byId("callback").complete("/callback.html?code=demo&state=nobody's");
