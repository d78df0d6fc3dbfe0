// Lets the user choose the language of the elements; the demo itself is in English.
const CHOICE = "lantern:language";
const TAGS = "en ar de es fa fr he hi it ja ko nl pl pt-BR ru tr uk zh-Hans zh-Hant".split(" ");

/** With the npm modules, a page imports each language. With a script tag, it is loaded automatically. */
const usesModules = document.querySelector("script[type=importmap]") !== null;

/** In an npm project, import `matrix-auth-elements/locales/de` instead. */
const importTexts = (tag) =>
  usesModules && tag !== "en" ? import(`/dist/locales/${tag}.js`) : Promise.resolve();

async function setLanguage(tag) {
  await importTexts(tag);
  for (const element of document.querySelectorAll(
    "matrix-login, oidc-login, oidc-callback, uia-dialog",
  )) {
    element.lang = tag;
  }
}

const stored = localStorage.getItem(CHOICE);
const chosen = TAGS.includes(stored) ? stored : "en";

const select = document.createElement("select");
select.id = "language";
select.ariaLabel = "Language of the elements";
for (const tag of TAGS) {
  const name = new Intl.DisplayNames(tag, { type: "language" }).of(tag);
  const option = new Option(name, tag, tag === chosen, tag === chosen);
  option.lang = tag;
  select.add(option);
}
select.addEventListener("change", () => {
  localStorage.setItem(CHOICE, select.value);
  void setLanguage(select.value);
});
document.querySelector("header").append(select);
void setLanguage(chosen);
