import { addTexts } from "./registry.js";
import type { Language } from "./translation.js";

const es: Language = {
  $code: "es",
  signIn: "Iniciar sesión",
  createAccount: "Crear cuenta",
  completing: "Iniciando sesión…",
  tryAgain: "Reintentar",
  errorLoadFailed: "No se ha podido cargar una parte de esta página. Inténtalo de nuevo.",

  preparing: "Contactando con el servidor base…",
  redirecting: "Abriendo la página de inicio de sesión…",
  signedIn: "Has iniciado sesión.",
  startAgain: "Empezar de nuevo",
  errorNetwork:
    "No se puede contactar con el servidor. Comprueba tu conexión e inténtalo de nuevo.",
  errorTimeout:
    "El servidor tarda demasiado en responder. Inténtalo de nuevo dentro de un momento.",
  errorRateLimited: "Demasiados intentos. Espera un momento e inténtalo de nuevo.",
  errorServer: "El servidor tiene un problema. Inténtalo más tarde.",
  errorHomeserverInvalid:
    "Esta no es la dirección de un servidor base. Comprueba que esté bien escrita.",
  errorHomeserverSettings:
    "No se puede leer la configuración del servidor base. Avisa a quien lo administra.",
  errorNotSupported: "Este servidor base no ofrece esta forma de iniciar sesión.",
  errorProviderSettings:
    "El servicio de inicio de sesión del servidor base no está bien configurado. Avisa a quien lo administra.",
  errorPageSettings: "Esta página no está bien configurada. Avisa a quien la administra.",
  errorNoNewAccounts: "Aquí no se pueden crear cuentas para este servidor base.",
  errorInsecure: "Para iniciar sesión hace falta una conexión segura. Abre esta página con https.",
  errorStorageBlocked:
    "Tu navegador no deja que esta página guarde datos. Permítelo e inténtalo de nuevo.",
  errorStorageFull:
    "El almacenamiento de tu navegador para esta página está lleno. Vacíalo e inténtalo de nuevo.",
  errorApplicationRefused: "El servicio de inicio de sesión no acepta esta aplicación.",
  errorFlowUnknown:
    "Aquí no hay ningún inicio de sesión por terminar. Puede que ya haya terminado o que esté abierto en otra pestaña.",
  errorFlowExpired: "Este inicio de sesión ya no es válido.",
  errorUntrustworthy:
    "No se ha podido verificar la respuesta del servicio de inicio de sesión, así que no se ha usado.",
  errorDenied: "No has iniciado sesión.",
  errorProviderRefused: "El servicio de inicio de sesión no ha podido iniciar tu sesión.",
  errorClock:
    "No se ha podido verificar la hora. Comprueba el reloj de este dispositivo y empieza de nuevo.",
  errorUnexpected: "Algo ha salido mal.",

  uiaHeading: "Confirma que eres tú",
  uiaStep: "Paso {step} de {steps}",
  uiaCancel: "Cancelar",
  uiaContinue: "Continuar",
  uiaWorking: "Un momento…",
  uiaRestarted: "Ha pasado demasiado tiempo, así que los pasos empiezan de nuevo.",
  uiaPasswordAsk: "Introduce tu contraseña para continuar.",
  uiaUser: "Nombre de usuario",
  uiaPassword: "Contraseña",
  uiaTokenAsk: "Introduce el token de registro que te han dado.",
  uiaToken: "Token de registro",
  uiaEmailAsk: "Introduce tu dirección de correo electrónico. Recibirás un mensaje con un enlace.",
  uiaEmail: "Correo electrónico",
  uiaEmailSend: "Enviar mensaje",
  uiaEmailSending: "Enviando un mensaje a {address}…",
  uiaLinkSent: "Abre el enlace del mensaje enviado a {address}.",
  uiaLinkWaiting: "Esta página continuará por sí sola en cuanto abras el enlace.",
  uiaEmailChange: "Cambiar dirección",
  uiaResend: "Enviar de nuevo",
  uiaPhoneAsk: "Introduce tu número de teléfono. Recibirás un código.",
  uiaCountry: "País",
  uiaPhone: "Número de teléfono",
  uiaPhoneSend: "Enviar código",
  uiaPhoneSent: "Introduce el código enviado al {address}.",
  uiaCode: "Código",
  uiaPhoneChange: "Cambiar número",
  uiaPhoneInvalid: "Este no es un número de teléfono del país elegido.",
  uiaTermsAsk: "Lee y acepta lo que se aplica aquí.",
  uiaTermsAccept: "He leído y acepto: {policy}",
  uiaAccept: "Aceptar",
  uiaTermsUnreadable:
    "No se puede leer lo que se aplica aquí. Avisa a quien administra el servidor base.",
  uiaCaptchaAsk: "Demuestra que eres una persona.",
  uiaCaptchaElsewhere: "Hacerlo en la página del servidor base",
  uiaSsoAsk: "Inicia sesión otra vez con el servicio que usas habitualmente.",
  uiaOAuthAsk: "Aprueba esto en la página de tu cuenta.",
  uiaFallbackAsk: "El siguiente paso se hace en una página del servidor base.",
  uiaFallbackOpen: "Abrir la página",
  uiaFallbackAgain: "Abrir de nuevo",
  uiaFallbackFinished: "He terminado",
  uiaFallbackOpened: "La página está abierta en otra ventana. Vuelve aquí cuando hayas terminado.",
  uiaFallbackClosed: "La ventana está cerrada. Si no has terminado, ábrela de nuevo.",
  uiaFallbackBlocked: "Tu navegador ha impedido que se abra la ventana. Ábrela con este enlace:",
  uiaFallbackWindow: "Abrir en una ventana",
  uiaFallbackFrame: "Una página del servidor base",
  uiaFallbackNone:
    "El servidor base no tiene una página para este paso. Avisa a quien lo administra.",
  uiaUnfinished: "Para el servidor base, este paso aún no ha terminado.",
  uiaNewWindow: "(abre una ventana nueva)",
  uiaWrongPassword: "Esta contraseña no es correcta.",
  uiaWrongToken: "Este token no se acepta.",
  uiaWrongCode: "Este código no es correcto.",
  uiaAddressInUse: "Otra cuenta ya usa estos datos.",
  uiaAddressUnknown: "Ninguna cuenta usa estos datos.",
  uiaAddressDenied: "El servidor base no acepta estos datos.",
  uiaRefused: "El servidor base lo ha rechazado.",
  uiaNetwork:
    "No se puede contactar con el servidor base. Comprueba tu conexión e inténtalo de nuevo.",
  uiaServer: "El servidor base tiene un problema. Inténtalo de nuevo dentro de un momento.",
  uiaPage: "Esta página no está bien configurada. Avisa a quien la administra.",
  uiaWait: "Demasiados intentos. Continuará por sí solo {time}.",
};

addTexts(es);

export default es;
