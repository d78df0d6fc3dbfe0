import type { PhoneTexts } from "./translation.js";

export const enPhone: PhoneTexts & { readonly $code: string } = {
  $code: "en",
  uiaPhoneAsk: "Enter your phone number to receive a code.",
  uiaCountry: "Country",
  uiaPhone: "Phone number",
  uiaPhoneSend: "Send code",
  uiaPhoneSent: "Enter the code sent to {address}.",
  uiaCode: "Code",
  uiaPhoneChange: "Change number",
  uiaPhoneInvalid: "This isn’t a valid phone number for the selected country.",
};
