import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from "libphonenumber-js/min";

/** Loaded on demand, because of its size. */
export { getCountries, getCountryCallingCode } from "libphonenumber-js/min";

/**
 * The country of a phone number; undefined for other texts.
 *
 * @param region The country of a number without its country's code.
 */
export function countryOf(phone: string, region: string): CountryCode | undefined {
  const country = isSupportedCountry(region) ? region : undefined;
  const number = parsePhoneNumberFromString(phone, {
    extract: false,
    ...(country && { defaultCountry: country }),
  });
  if (!number?.isPossible()) return undefined;
  return number.country ?? number.getPossibleCountries()[0];
}
