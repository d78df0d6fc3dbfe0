import { getCountries, getCountryCallingCode } from "libphonenumber-js/min";

export interface PhoneCountry {
  /** Two letters (ISO 3166-1 alpha-2). */
  readonly code: string;
  readonly name: string;
  /** Without the plus. */
  readonly callingCode: string;
}

export function phoneCountries(language: string): readonly PhoneCountry[] {
  const names = new Intl.DisplayNames([language, "en"], { type: "region" });
  return getCountries()
    .map((code) => ({
      code,
      name: names.of(code) ?? code,
      callingCode: getCountryCallingCode(code),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, language));
}
