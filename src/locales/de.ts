import { addTexts } from "./registry.js";
import type { Language } from "./translation.js";

const de: Language = {
  $code: "de",
  signIn: "Anmelden",
  createAccount: "Konto erstellen",
  completing: "Anmeldung läuft …",
  tryAgain: "Erneut versuchen",
  errorLoadFailed: "Ein Teil dieser Seite konnte nicht geladen werden. Versuche es erneut.",

  preparing: "Verbindung zum Heim-Server …",
  redirecting: "Weiter zur Anmeldeseite …",
  signedIn: "Du bist angemeldet.",
  startAgain: "Von vorn beginnen",
  errorNetwork: "Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es erneut.",
  errorTimeout: "Der Server braucht zu lange für eine Antwort. Versuche es gleich noch einmal.",
  errorRateLimited: "Zu viele Versuche. Warte einen Moment und versuche es erneut.",
  errorServer: "Auf dem Server ist ein Problem aufgetreten. Versuche es später erneut.",
  errorHomeserverInvalid: "Dies ist keine Adresse eines Heim-Servers. Prüfe sie auf Tippfehler.",
  errorHomeserverSettings:
    "Die Einstellungen des Heim-Servers sind nicht lesbar. Bitte informiere den Betreiber.",
  errorNotSupported: "Dieser Heim-Server bietet diese Art der Anmeldung nicht an.",
  errorProviderSettings:
    "Der Anmeldedienst des Heim-Servers ist nicht richtig eingerichtet. Bitte informiere den Betreiber.",
  errorPageSettings: "Diese Seite ist nicht richtig eingerichtet. Bitte informiere den Betreiber.",
  errorNoNewAccounts: "Hier lassen sich keine Konten für diesen Heim-Server erstellen.",
  errorInsecure: "Zum Anmelden ist eine sichere Verbindung nötig. Öffne diese Seite mit https.",
  errorStorageBlocked:
    "Dein Browser lässt diese Seite keine Daten speichern. Erlaube es und versuche es erneut.",
  errorStorageFull:
    "Der Browser-Speicher für diese Seite ist voll. Leere ihn und versuche es erneut.",
  errorApplicationRefused: "Der Anmeldedienst akzeptiert diese Anwendung nicht.",
  errorFlowUnknown:
    "Hier ist keine Anmeldung abzuschließen. Vielleicht ist sie schon fertig oder in einem anderen Tab offen.",
  errorFlowExpired: "Diese Anmeldung ist nicht mehr gültig.",
  errorUntrustworthy:
    "Die Antwort des Anmeldedienstes ließ sich nicht überprüfen und wurde nicht verwendet.",
  errorDenied: "Du hast dich nicht angemeldet.",
  errorProviderRefused: "Der Anmeldedienst konnte dich nicht anmelden.",
  errorClock:
    "Die Zeit ließ sich nicht überprüfen. Prüfe die Uhr dieses Geräts und beginne von vorn.",
  errorUnexpected: "Etwas ist schiefgelaufen.",

  uiaHeading: "Bestätige, dass du es bist",
  uiaStep: "Schritt {step} von {steps}",
  uiaCancel: "Abbrechen",
  uiaContinue: "Weiter",
  uiaWorking: "Einen Moment …",
  uiaRestarted: "Es ist zu viel Zeit vergangen, daher beginnen die Schritte von vorn.",
  uiaPasswordAsk: "Gib dein Passwort ein, um fortzufahren.",
  uiaUser: "Benutzername",
  uiaPassword: "Passwort",
  uiaTokenAsk: "Gib das Registrierungstoken ein, das du bekommen hast.",
  uiaToken: "Registrierungstoken",
  uiaEmailAsk: "Gib deine E-Mail-Adresse ein. Du bekommst eine Nachricht mit einem Link.",
  uiaEmail: "E-Mail-Adresse",
  uiaEmailSend: "Nachricht senden",
  uiaEmailSending: "Nachricht an {address} wird gesendet …",
  uiaLinkSent: "Öffne den Link in der Nachricht, die an {address} gesendet wurde.",
  uiaLinkWaiting: "Sobald du dem Link gefolgt bist, geht es hier von selbst weiter.",
  uiaEmailChange: "Adresse ändern",
  uiaResend: "Erneut senden",
  uiaPhoneAsk: "Gib deine Telefonnummer ein. Du bekommst einen Code.",
  uiaCountry: "Land",
  uiaPhone: "Telefonnummer",
  uiaPhoneSend: "Code senden",
  uiaPhoneSent: "Gib den Code ein, der an {address} gesendet wurde.",
  uiaCode: "Code",
  uiaPhoneChange: "Nummer ändern",
  uiaPhoneInvalid: "Dies ist keine Telefonnummer des gewählten Landes.",
  uiaTermsAsk: "Bitte lies und akzeptiere, was hier gilt.",
  uiaTermsAccept: "Ich habe gelesen und akzeptiere: {policy}",
  uiaAccept: "Akzeptieren",
  uiaTermsUnreadable:
    "Die Bedingungen sind nicht lesbar. Bitte informiere den Betreiber des Heim-Servers.",
  uiaCaptchaAsk: "Zeige, dass du ein Mensch bist.",
  uiaCaptchaElsewhere: "Auf der Seite des Heim-Servers erledigen",
  uiaSsoAsk: "Melde dich noch einmal bei dem Dienst an, mit dem du dich anmeldest.",
  uiaOAuthAsk: "Genehmige dies auf deiner Kontoseite.",
  uiaFallbackAsk: "Der nächste Schritt findet auf einer Seite des Heim-Servers statt.",
  uiaFallbackOpen: "Seite öffnen",
  uiaFallbackAgain: "Erneut öffnen",
  uiaFallbackFinished: "Ich bin fertig",
  uiaFallbackOpened:
    "Die Seite ist in einem anderen Fenster offen. Komm hierher zurück, wenn du fertig bist.",
  uiaFallbackClosed:
    "Das Fenster ist geschlossen. Öffne es erneut, wenn du noch nicht fertig bist.",
  uiaFallbackBlocked: "Dein Browser hat das Fenster blockiert. Öffne es mit diesem Link:",
  uiaFallbackWindow: "In einem Fenster öffnen",
  uiaFallbackFrame: "Eine Seite des Heim-Servers",
  uiaFallbackNone:
    "Der Heim-Server hat keine Seite für diesen Schritt. Bitte informiere den Betreiber.",
  uiaUnfinished: "Für den Heim-Server ist dieser Schritt noch nicht abgeschlossen.",
  uiaNewWindow: "(öffnet ein neues Fenster)",
  uiaWrongPassword: "Dieses Passwort ist nicht richtig.",
  uiaWrongToken: "Dieses Token wird nicht akzeptiert.",
  uiaWrongCode: "Dieser Code ist nicht richtig.",
  uiaAddressInUse: "Ein anderes Konto verwendet dies bereits.",
  uiaAddressUnknown: "Kein Konto verwendet dies.",
  uiaAddressDenied: "Der Heim-Server lässt dies nicht zu.",
  uiaRefused: "Der Heim-Server hat dies nicht akzeptiert.",
  uiaNetwork:
    "Der Heim-Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es erneut.",
  uiaServer: "Auf dem Heim-Server ist ein Problem aufgetreten. Versuche es gleich noch einmal.",
  uiaPage: "Diese Seite ist nicht richtig eingerichtet. Bitte informiere den Betreiber.",
  uiaWait: "Zu viele Versuche. Es geht {time} von selbst weiter.",
};

addTexts(de);

export default de;
