import { addTexts } from "./registry.js";
import type { Language } from "./translation.js";

const fr: Language = {
  $code: "fr",
  signIn: "Se connecter",
  createAccount: "Créer un compte",
  completing: "Connexion en cours…",
  tryAgain: "Réessayer",
  errorLoadFailed: "Une partie de cette page n’a pas pu être chargée. Réessayez.",

  preparing: "Prise de contact avec le serveur d’accueil…",
  redirecting: "Ouverture de la page de connexion…",
  signedIn: "Connexion réussie.",
  startAgain: "Recommencer",
  errorNetwork: "Le serveur est injoignable. Vérifiez votre connexion, puis réessayez.",
  errorTimeout: "Le serveur met trop de temps à répondre. Réessayez dans un instant.",
  errorRateLimited: "Trop de tentatives. Patientez un instant, puis réessayez.",
  errorServer: "Le serveur rencontre un problème. Réessayez plus tard.",
  errorHomeserverInvalid:
    "Ce n’est pas l’adresse d’un serveur d’accueil. Vérifiez qu’elle ne contient pas de faute de frappe.",
  errorHomeserverSettings:
    "Les paramètres du serveur d’accueil sont illisibles. Prévenez la personne qui le gère.",
  errorNotSupported: "Ce serveur d’accueil ne propose pas ce mode de connexion.",
  errorProviderSettings:
    "Le service de connexion du serveur d’accueil est mal configuré. Prévenez la personne qui le gère.",
  errorPageSettings: "Cette page est mal configurée. Prévenez la personne qui la gère.",
  errorNoNewAccounts: "Il n’est pas possible de créer ici un compte pour ce serveur d’accueil.",
  errorInsecure: "La connexion exige une liaison sécurisée. Ouvrez cette page en https.",
  errorStorageBlocked:
    "Votre navigateur empêche cette page d’enregistrer des données. Autorisez-la, puis réessayez.",
  errorStorageFull:
    "L’espace que votre navigateur réserve à cette page est plein. Videz-le, puis réessayez.",
  errorApplicationRefused: "Le service de connexion n’accepte pas cette application.",
  errorFlowUnknown:
    "Il n’y a pas de connexion à terminer ici. Elle est peut-être terminée, ou ouverte dans un autre onglet.",
  errorFlowExpired: "Cette connexion n’est plus valable.",
  errorUntrustworthy:
    "La réponse du service de connexion n’a pas pu être vérifiée et n’a donc pas été utilisée.",
  errorDenied: "La connexion n’a pas eu lieu.",
  errorProviderRefused: "Le service de connexion n’a pas pu vous connecter.",
  errorClock:
    "L’heure n’a pas pu être vérifiée. Vérifiez l’horloge de cet appareil, puis recommencez.",
  errorUnexpected: "Un problème est survenu.",

  uiaHeading: "Confirmez votre identité",
  uiaStep: "Étape {step} sur {steps}",
  uiaCancel: "Annuler",
  uiaContinue: "Continuer",
  uiaWorking: "Un instant…",
  uiaRestarted: "Trop de temps s’est écoulé : les étapes reprennent depuis le début.",
  uiaPasswordAsk: "Saisissez votre mot de passe pour continuer.",
  uiaUser: "Nom d’utilisateur",
  uiaPassword: "Mot de passe",
  uiaTokenAsk: "Saisissez le jeton d’enregistrement que vous avez reçu.",
  uiaToken: "Jeton d’enregistrement",
  uiaEmailAsk: "Saisissez votre adresse e-mail. Vous recevrez un message contenant un lien.",
  uiaEmail: "Adresse e-mail",
  uiaEmailSend: "Envoyer le message",
  uiaEmailSending: "Envoi d’un message à {address}…",
  uiaLinkSent: "Ouvrez le lien du message envoyé à {address}.",
  uiaLinkWaiting: "Cette page continuera d’elle-même dès que vous aurez ouvert le lien.",
  uiaEmailChange: "Changer d’adresse",
  uiaResend: "Renvoyer",
  uiaPhoneAsk: "Saisissez votre numéro de téléphone. Vous recevrez un code.",
  uiaCountry: "Pays",
  uiaPhone: "Numéro de téléphone",
  uiaPhoneSend: "Envoyer le code",
  uiaPhoneSent: "Saisissez le code envoyé au {address}.",
  uiaCode: "Code",
  uiaPhoneChange: "Changer de numéro",
  uiaPhoneInvalid: "Ce n’est pas un numéro de téléphone du pays choisi.",
  uiaTermsAsk: "Veuillez lire et accepter ce qui s’applique ici.",
  uiaTermsAccept: "J’ai lu et j’accepte : {policy}",
  uiaAccept: "Accepter",
  uiaTermsUnreadable:
    "Ce qui s’applique ici est illisible. Prévenez la personne qui gère le serveur d’accueil.",
  uiaCaptchaAsk: "Montrez que vous êtes un être humain.",
  uiaCaptchaElsewhere: "Le faire sur la page du serveur d’accueil",
  uiaSsoAsk: "Connectez-vous encore une fois avec votre service de connexion habituel.",
  uiaOAuthAsk: "Approuvez cette action sur la page de votre compte.",
  uiaFallbackAsk: "L’étape suivante se fait sur une page du serveur d’accueil.",
  uiaFallbackOpen: "Ouvrir la page",
  uiaFallbackAgain: "Rouvrir",
  uiaFallbackFinished: "J’ai terminé",
  uiaFallbackOpened:
    "La page est ouverte dans une autre fenêtre. Revenez ici quand vous aurez terminé.",
  uiaFallbackClosed: "La fenêtre est fermée. Si vous n’avez pas terminé, rouvrez-la.",
  uiaFallbackBlocked: "Votre navigateur a empêché la fenêtre de s’ouvrir. Ouvrez-la par ce lien :",
  uiaFallbackWindow: "Ouvrir dans une fenêtre",
  uiaFallbackFrame: "Une page du serveur d’accueil",
  uiaFallbackNone:
    "Le serveur d’accueil n’a pas de page pour cette étape. Prévenez la personne qui le gère.",
  uiaUnfinished: "Pour le serveur d’accueil, cette étape n’est pas encore terminée.",
  uiaNewWindow: "(ouvre une nouvelle fenêtre)",
  uiaWrongPassword: "Ce mot de passe est incorrect.",
  uiaWrongToken: "Ce jeton n’est pas accepté.",
  uiaWrongCode: "Ce code est incorrect.",
  uiaAddressInUse: "Un autre compte l’utilise déjà.",
  uiaAddressUnknown: "Aucun compte ne l’utilise.",
  uiaAddressDenied: "Le serveur d’accueil ne l’accepte pas.",
  uiaRefused: "Le serveur d’accueil a refusé.",
  uiaNetwork: "Le serveur d’accueil est injoignable. Vérifiez votre connexion, puis réessayez.",
  uiaServer: "Le serveur d’accueil rencontre un problème. Réessayez dans un instant.",
  uiaPage: "Cette page est mal configurée. Prévenez la personne qui la gère.",
  uiaWait: "Trop de tentatives. La suite reprendra d’elle-même {time}.",
};

addTexts(fr);

export default fr;
