import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from "libphonenumber-js/min";

/** Loaded on demand, because of its size. */
export { getCountries, getCountryCallingCode } from "libphonenumber-js/min";

/** @param region The country of a number without its country's code. */
function numberIn(phone: string, region: string): PhoneNumber | undefined {
  const country = isSupportedCountry(region) ? region : undefined;
  const number = parsePhoneNumberFromString(phone, {
    extract: false,
    ...(country && { defaultCountry: country }),
  });
  return number?.isPossible() ? number : undefined;
}

/** The country of a phone number; undefined for other texts. */
export function countryOf(phone: string, region: string): CountryCode | undefined {
  const number = numberIn(phone, region);
  return number?.country ?? number?.getPossibleCountries()[0];
}

/** A phone number with its country's code, in groups of digits; undefined for other texts. */
export const international = (phone: string, region: string): string | undefined =>
  numberIn(phone, region)?.formatInternational();
