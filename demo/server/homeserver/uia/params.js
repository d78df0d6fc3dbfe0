// @ts-check

/** Two documents, in the languages that the demo speaks. */
export const POLICIES = Object.freeze({
  privacy_policy: {
    version: "1.0",
    en: "Privacy Policy",
    de: "Datenschutzerklärung",
    fr: "Politique de confidentialité",
  },
  terms_of_service: {
    version: "1.0",
    en: "Terms of Service",
    de: "Nutzungsbedingungen",
    fr: "Conditions d’utilisation",
  },
});

/**
 * What is sent along with stages.
 *
 * @param {import("../index.js").Homeserver} homeserver
 * @param {readonly string[]} stages
 */
export function stageParams({ baseUrl }, stages) {
  /** @type {Record<string, unknown>} */
  const all = {
    "m.login.recaptcha": { public_key: "demo-public-key" },
    "m.login.terms": {
      policies: Object.fromEntries(
        Object.entries(POLICIES).map(([id, { version, ...names }]) => [
          id,
          {
            version,
            ...Object.fromEntries(
              Object.entries(names).map(([language, name]) => [
                language,
                { name, url: `${baseUrl}/_demo/policy/${id}/${language}` },
              ]),
            ),
          },
        ]),
      ),
    },
  };
  return Object.fromEntries(stages.filter((type) => type in all).map((type) => [type, all[type]]));
}
