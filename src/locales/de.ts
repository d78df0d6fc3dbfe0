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
  redirecting: "Weiterleitung zur Anmeldeseite …",
  signedIn: "Du bist angemeldet.",
  startAgain: "Von vorn beginnen",
  errorNetwork: "Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es erneut.",
  errorTimeout: "Der Server hat nicht rechtzeitig geantwortet. Versuche es gleich noch einmal.",
  errorRateLimited: "Zu viele Versuche. Warte einen Moment und versuche es erneut.",
  errorServer: "Auf dem Server ist ein Problem aufgetreten. Versuche es später erneut.",
  errorHomeserverInvalid: "Dies ist keine gültige Heim-Server-Adresse. Prüfe sie auf Tippfehler.",
  errorHomeserverSettings:
    "Der Heim-Server ist nicht richtig konfiguriert. Wende dich an die Administration.",
  errorNotSupported: "Dieser Heim-Server unterstützt diese Anmeldemethode nicht.",
  errorProviderSettings:
    "Der Anmeldedienst ist nicht richtig konfiguriert. Wende dich an die Administration.",
  errorPageSettings:
    "Diese Seite ist nicht richtig konfiguriert. Wende dich an die Administration.",
  errorNoNewAccounts: "Hier kannst du kein Konto auf diesem Heim-Server erstellen.",
  errorInsecure: "Zum Anmelden ist eine sichere Verbindung nötig. Öffne diese Seite über HTTPS.",
  errorStorageBlocked:
    "Dein Browser erlaubt dieser Seite nicht, Daten zu speichern. Erlaube es und versuche es erneut.",
  errorStorageFull:
    "Der Browser-Speicher für diese Seite ist voll. Leere ihn und versuche es erneut.",
  errorApplicationRefused: "Der Anmeldedienst akzeptiert diese Anwendung nicht.",
  errorFlowUnknown:
    "Es läuft keine Anmeldung. Vielleicht ist sie schon abgeschlossen oder in einem anderen Tab offen. Hier kannst du von vorn beginnen.",
  errorFlowExpired: "Diese Anmeldung ist nicht mehr gültig.",
  errorUntrustworthy:
    "Die Antwort des Anmeldedienstes konnte nicht überprüft werden und wurde abgelehnt.",
  errorDenied: "Du hast dich nicht angemeldet.",
  errorProviderRefused: "Der Anmeldedienst konnte dich nicht anmelden.",
  errorClock:
    "Die Zeit konnte nicht überprüft werden. Prüfe die Uhr dieses Geräts und beginne von vorn.",
  errorUnexpected: "Etwas ist schiefgelaufen.",

  matrixHomeserver: "Heim-Server",
  matrixChecking: "Anmeldemethoden werden gesucht …",
  matrixSignInTo: "Bei {server} anmelden",
  matrixUser: "Benutzername oder E-Mail-Adresse",
  matrixPassword: "Passwort",
  matrixContinueWith: "Weiter mit {provider}",
  matrixSso: "Weiter mit Single Sign-on",
  matrixOr: "oder",
  matrixForgot: "Passwort vergessen?",
  matrixReset: "Passwort zurücksetzen",
  matrixResetWarning:
    "Deine anderen Geräte werden abgemeldet, und verschlüsselte Nachrichten sind danach möglicherweise nicht mehr lesbar.",
  matrixResetDone: "Dein Passwort wurde geändert. Du kannst dich jetzt anmelden.",
  matrixEmail: "E-Mail-Adresse",
  matrixNewPassword: "Neues Passwort",
  matrixRepeatPassword: "Passwort wiederholen",
  matrixPasswordsDiffer: "Die Passwörter stimmen nicht überein.",
  matrixUserTaken: "Dieser Benutzername ist bereits vergeben.",
  matrixUserInvalid: "Dieser Benutzername ist nicht zulässig.",
  matrixBack: "Zurück",
  errorCredentials: "Benutzername oder Passwort ist falsch.",
  errorDeactivated: "Dieses Konto wurde deaktiviert.",
  errorLocked: "Dieses Konto ist gesperrt. Wende dich an die Heim-Server-Administration.",
  errorLoginRefused: "Der Heim-Server hat die Anmeldung abgelehnt.",
  errorOtherUser:
    "Du hast dich mit einem anderen Konto angemeldet. Melde dich erneut mit demselben Konto wie zuvor an.",
  errorNoMethods: "Dieser Heim-Server bietet hier keine Anmeldemethode an.",

  uiaHeading: "Bestätige, dass du es bist",
  uiaStep: "Schritt {step} von {steps}",
  uiaCancel: "Abbrechen",
  uiaContinue: "Weiter",
  uiaWorking: "Bitte warten …",
  uiaRestarted: "Die Anfrage ist abgelaufen und wurde neu gestartet.",
  uiaPasswordAsk: "Gib dein Passwort ein, um fortzufahren.",
  uiaUser: "Benutzername",
  uiaPassword: "Passwort",
  uiaTokenAsk:
    "Gib ein Registrierungstoken ein, das du von der Heim-Server-Administration erhalten hast.",
  uiaToken: "Registrierungstoken",
  uiaEmailAsk: "Gib deine E-Mail-Adresse ein, um einen Link zu erhalten.",
  uiaEmail: "E-Mail-Adresse",
  uiaEmailSend: "E-Mail senden",
  uiaEmailSending: "E-Mail an {address} wird gesendet …",
  uiaLinkSent: "Öffne den Link in der Nachricht, die an {address} gesendet wurde.",
  uiaLinkWaiting: "Sobald du den Link geöffnet hast, geht es hier automatisch weiter.",
  uiaEmailChange: "Adresse ändern",
  uiaResend: "Erneut senden",
  uiaPhoneAsk: "Gib deine Telefonnummer ein, um einen Code zu erhalten.",
  uiaCountry: "Land",
  uiaPhone: "Telefonnummer",
  uiaPhoneSend: "Code senden",
  uiaPhoneSent: "Gib den Code ein, der an {address} gesendet wurde.",
  uiaCode: "Code",
  uiaPhoneChange: "Nummer ändern",
  uiaPhoneInvalid: "Dies ist keine gültige Telefonnummer für das ausgewählte Land.",
  uiaTermsAsk: "Lies und akzeptiere diese Bedingungen.",
  uiaTermsAccept: "Ich habe gelesen und akzeptiere: {policy}",
  uiaAccept: "Akzeptieren",
  uiaTermsUnreadable:
    "Die Bedingungen können nicht geladen werden. Wende dich an die Heim-Server-Administration.",
  uiaCaptchaAsk: "Löse das Captcha.",
  uiaCaptchaElsewhere: "Stattdessen die Seite des Heim-Servers verwenden",
  uiaSsoAsk: "Melde dich erneut bei deinem Identitätsanbieter an.",
  uiaOAuthAsk: "Genehmige diese Anfrage auf deiner Kontoseite.",
  uiaFallbackAsk: "Schließe den nächsten Schritt auf der Seite des Heim-Servers ab.",
  uiaFallbackOpen: "Seite öffnen",
  uiaFallbackAgain: "Erneut öffnen",
  uiaFallbackFinished: "Ich bin fertig",
  uiaFallbackOpened:
    "Die Seite ist in einem anderen Fenster offen. Komm hierher zurück, wenn du fertig bist.",
  uiaFallbackClosed:
    "Das Fenster wurde geschlossen. Öffne es erneut, wenn du noch nicht fertig bist.",
  uiaFallbackBlocked: "Dein Browser hat das Fenster blockiert. Verwende diesen Link:",
  uiaFallbackWindow: "In neuem Fenster öffnen",
  uiaFallbackFrame: "Die Seite des Heim-Servers",
  uiaFallbackNone:
    "Der Heim-Server hat keine Seite für diesen Schritt. Wende dich an die Administration.",
  uiaUnfinished: "Dieser Schritt ist noch nicht abgeschlossen.",
  uiaNewWindow: "(öffnet ein neues Fenster)",
  uiaWrongPassword: "Falsches Passwort.",
  uiaWrongToken: "Ungültiges Registrierungstoken.",
  uiaWrongCode: "Falscher Code.",
  uiaAddressInUse: "Wird bereits von einem anderen Konto verwendet.",
  uiaAddressUnknown: "Kein Konto gefunden.",
  uiaAddressDenied: "Auf diesem Heim-Server nicht zulässig.",
  uiaRefused: "Der Heim-Server hat diese Anfrage abgelehnt.",
  uiaNetwork:
    "Der Heim-Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es erneut.",
  uiaServer: "Auf dem Heim-Server ist ein Problem aufgetreten. Versuche es gleich noch einmal.",
  uiaPage: "Diese Seite ist nicht richtig konfiguriert. Wende dich an die Administration.",
  uiaWait: "Zu viele Versuche. Neuer Versuch {time}.",
};

addTexts(de);

export default de;
