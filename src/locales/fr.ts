import { addTexts } from "./registry.js";
import type { Language } from "./translation.js";

const fr: Language = {
  $code: "fr",
  signIn: "Se connecter",
  createAccount: "Créer un compte",
  completing: "Connexion en cours…",
  tryAgain: "Réessayer",
  errorLoadFailed: "Une partie de cette page n’a pas pu être chargée. Réessayez.",

  preparing: "Connexion au serveur d’accueil…",
  redirecting: "Redirection vers la page de connexion…",
  signedIn: "Connexion réussie.",
  startAgain: "Recommencer",
  errorNetwork: "Le serveur est injoignable. Vérifiez votre connexion, puis réessayez.",
  errorTimeout: "Le serveur n’a pas répondu à temps. Réessayez dans un instant.",
  errorRateLimited: "Trop de tentatives. Patientez un instant, puis réessayez.",
  errorServer: "Le serveur rencontre un problème. Réessayez plus tard.",
  errorHomeserverInvalid:
    "Cette adresse de serveur d’accueil n’est pas valide. Vérifiez qu’elle ne contient pas de faute de frappe.",
  errorHomeserverSettings: "Le serveur d’accueil est mal configuré. Contactez son administrateur.",
  errorNotSupported: "Ce serveur d’accueil ne prend pas en charge ce mode de connexion.",
  errorProviderSettings: "Le service de connexion est mal configuré. Contactez son administrateur.",
  errorPageSettings: "Cette page est mal configurée. Contactez son administrateur.",
  errorNoNewAccounts: "Vous ne pouvez pas créer ici de compte sur ce serveur d’accueil.",
  errorInsecure:
    "Une liaison sécurisée est nécessaire pour se connecter. Ouvrez cette page en HTTPS.",
  errorStorageBlocked:
    "Votre navigateur n’autorise pas cette page à stocker des données. Autorisez-la, puis réessayez.",
  errorStorageFull:
    "L’espace de stockage de votre navigateur pour cette page est plein. Videz-le, puis réessayez.",
  errorApplicationRefused: "Le service de connexion n’accepte pas cette application.",
  errorFlowUnknown:
    "Aucune connexion en cours. Elle est peut-être déjà terminée, ou ouverte dans un autre onglet. Vous pouvez recommencer ici.",
  errorFlowExpired: "Cette connexion n’est plus valable.",
  errorUntrustworthy:
    "La réponse du service de connexion n’a pas pu être vérifiée et a été rejetée.",
  errorDenied: "La connexion n’a pas eu lieu.",
  errorProviderRefused: "Le service de connexion n’a pas pu vous connecter.",
  errorClock:
    "L’heure n’a pas pu être vérifiée. Vérifiez l’horloge de cet appareil, puis recommencez.",
  errorUnexpected: "Un problème est survenu.",

  uiaHeading: "Confirmez votre identité",
  uiaStep: "Étape {step} sur {steps}",
  uiaCancel: "Annuler",
  uiaContinue: "Continuer",
  uiaWorking: "Veuillez patienter…",
  uiaRestarted: "La demande a expiré et a été relancée.",
  uiaPasswordAsk: "Saisissez votre mot de passe pour continuer.",
  uiaUser: "Nom d’utilisateur",
  uiaPassword: "Mot de passe",
  uiaTokenAsk:
    "Saisissez un jeton d’enregistrement fourni par l’administrateur du serveur d’accueil.",
  uiaToken: "Jeton d’enregistrement",
  uiaEmailAsk: "Saisissez votre adresse e-mail pour recevoir un lien.",
  uiaEmail: "Adresse e-mail",
  uiaEmailSend: "Envoyer l’e-mail",
  uiaEmailSending: "Envoi d’un e-mail à {address}…",
  uiaLinkSent: "Ouvrez le lien du message envoyé à {address}.",
  uiaLinkWaiting: "Cette page continuera automatiquement dès que vous aurez ouvert le lien.",
  uiaEmailChange: "Changer d’adresse",
  uiaResend: "Renvoyer",
  uiaPhoneAsk: "Saisissez votre numéro de téléphone pour recevoir un code.",
  uiaCountry: "Pays",
  uiaPhone: "Numéro de téléphone",
  uiaPhoneSend: "Envoyer le code",
  uiaPhoneSent: "Saisissez le code envoyé au {address}.",
  uiaCode: "Code",
  uiaPhoneChange: "Changer de numéro",
  uiaPhoneInvalid: "Ce numéro de téléphone n’est pas valide pour le pays sélectionné.",
  uiaTermsAsk: "Lisez et acceptez ces conditions.",
  uiaTermsAccept: "J’ai lu et j’accepte : {policy}",
  uiaAccept: "Accepter",
  uiaTermsUnreadable:
    "Impossible de charger les conditions. Contactez l’administrateur du serveur d’accueil.",
  uiaCaptchaAsk: "Complétez le captcha.",
  uiaCaptchaElsewhere: "Utiliser plutôt la page du serveur d’accueil",
  uiaSsoAsk: "Reconnectez-vous avec votre fournisseur d’identité.",
  uiaOAuthAsk: "Approuvez cette demande sur la page de votre compte.",
  uiaFallbackAsk: "Effectuez l’étape suivante sur la page du serveur d’accueil.",
  uiaFallbackOpen: "Ouvrir la page",
  uiaFallbackAgain: "Rouvrir",
  uiaFallbackFinished: "J’ai terminé",
  uiaFallbackOpened:
    "La page est ouverte dans une autre fenêtre. Revenez ici quand vous aurez terminé.",
  uiaFallbackClosed: "La fenêtre a été fermée. Si vous n’avez pas terminé, rouvrez-la.",
  uiaFallbackBlocked: "Votre navigateur a bloqué la fenêtre. Utilisez ce lien :",
  uiaFallbackWindow: "Ouvrir dans une nouvelle fenêtre",
  uiaFallbackFrame: "La page du serveur d’accueil",
  uiaFallbackNone:
    "Le serveur d’accueil n’a pas de page pour cette étape. Contactez son administrateur.",
  uiaUnfinished: "Cette étape n’est pas encore terminée.",
  uiaNewWindow: "(ouvre une nouvelle fenêtre)",
  uiaWrongPassword: "Mot de passe incorrect.",
  uiaWrongToken: "Jeton d’enregistrement non valide.",
  uiaWrongCode: "Code incorrect.",
  uiaAddressInUse: "Déjà utilisé par un autre compte.",
  uiaAddressUnknown: "Aucun compte trouvé.",
  uiaAddressDenied: "Non autorisé par ce serveur d’accueil.",
  uiaRefused: "Le serveur d’accueil a rejeté cette demande.",
  uiaNetwork: "Le serveur d’accueil est injoignable. Vérifiez votre connexion, puis réessayez.",
  uiaServer: "Le serveur d’accueil rencontre un problème. Réessayez dans un instant.",
  uiaPage: "Cette page est mal configurée. Contactez son administrateur.",
  uiaWait: "Trop de tentatives. Nouvel essai {time}.",
};

addTexts(fr);

export default fr;
