import { addTexts } from "./registry.js";
import type { Language } from "./translation.js";

const es: Language = {
  $code: "es",
  signIn: "Iniciar sesión",
  createAccount: "Crear cuenta",
  completing: "Iniciando sesión…",
  tryAgain: "Reintentar",
  errorLoadFailed: "No se ha podido cargar una parte de esta página. Inténtalo de nuevo.",

  preparing: "Conectando con el servidor base…",
  redirecting: "Redirigiendo a la página de inicio de sesión…",
  signedIn: "Has iniciado sesión.",
  startAgain: "Empezar de nuevo",
  errorNetwork:
    "No se puede contactar con el servidor. Comprueba tu conexión e inténtalo de nuevo.",
  errorTimeout:
    "El servidor ha tardado demasiado en responder. Inténtalo de nuevo dentro de un momento.",
  errorRateLimited: "Demasiados intentos. Espera un momento e inténtalo de nuevo.",
  errorServer: "Algo ha ido mal en el servidor. Inténtalo más tarde.",
  errorHomeserverInvalid:
    "Esta no es una dirección de servidor base válida. Comprueba que esté bien escrita.",
  errorHomeserverSettings:
    "El servidor base no está bien configurado. Contacta con su administrador.",
  errorNotSupported: "Este servidor base no admite este método de inicio de sesión.",
  errorProviderSettings:
    "El servicio de inicio de sesión no está bien configurado. Contacta con su administrador.",
  errorPageSettings: "Esta página no está bien configurada. Contacta con su administrador.",
  errorNoNewAccounts: "Aquí no puedes crear una cuenta en este servidor base.",
  errorInsecure: "Para iniciar sesión se necesita una conexión segura. Abre esta página con HTTPS.",
  errorStorageBlocked:
    "Tu navegador no permite que esta página guarde datos. Permítelo e inténtalo de nuevo.",
  errorStorageFull:
    "El almacenamiento de tu navegador para esta página está lleno. Vacíalo e inténtalo de nuevo.",
  errorApplicationRefused: "El servicio de inicio de sesión no acepta esta aplicación.",
  errorFlowUnknown:
    "No hay ningún inicio de sesión en curso. Puede que ya se haya completado o que esté abierto en otra pestaña. Puedes empezar de nuevo aquí.",
  errorFlowExpired: "Este inicio de sesión ya no es válido.",
  errorUntrustworthy:
    "La respuesta del servicio de inicio de sesión no se ha podido verificar y se ha rechazado.",
  errorDenied: "No has iniciado sesión.",
  errorProviderRefused: "El servicio de inicio de sesión no ha podido iniciar tu sesión.",
  errorClock:
    "No se ha podido verificar la hora. Comprueba el reloj de este dispositivo y empieza de nuevo.",
  errorUnexpected: "Algo ha salido mal.",

  uiaHeading: "Confirma que eres tú",
  uiaStep: "Paso {step} de {steps}",
  uiaCancel: "Cancelar",
  uiaContinue: "Continuar",
  uiaWorking: "Espera un momento…",
  uiaRestarted: "La solicitud ha caducado y se ha reiniciado.",
  uiaPasswordAsk: "Introduce tu contraseña para continuar.",
  uiaUser: "Nombre de usuario",
  uiaPassword: "Contraseña",
  uiaTokenAsk: "Introduce un token de registro facilitado por el administrador del servidor base.",
  uiaToken: "Token de registro",
  uiaEmailAsk: "Introduce tu dirección de correo electrónico para recibir un enlace.",
  uiaEmail: "Correo electrónico",
  uiaEmailSend: "Enviar correo",
  uiaEmailSending: "Enviando un correo a {address}…",
  uiaLinkSent: "Abre el enlace del mensaje enviado a {address}.",
  uiaLinkWaiting: "Esta página continuará automáticamente en cuanto abras el enlace.",
  uiaEmailChange: "Cambiar dirección",
  uiaResend: "Enviar de nuevo",
  uiaPhoneAsk: "Introduce tu número de teléfono para recibir un código.",
  uiaCountry: "País",
  uiaPhone: "Número de teléfono",
  uiaPhoneSend: "Enviar código",
  uiaPhoneSent: "Introduce el código enviado al {address}.",
  uiaCode: "Código",
  uiaPhoneChange: "Cambiar número",
  uiaPhoneInvalid: "Este no es un número de teléfono válido para el país seleccionado.",
  uiaTermsAsk: "Lee y acepta estos términos.",
  uiaTermsAccept: "He leído y acepto: {policy}",
  uiaAccept: "Aceptar",
  uiaTermsUnreadable:
    "No se pueden cargar los términos. Contacta con el administrador del servidor base.",
  uiaCaptchaAsk: "Completa el captcha.",
  uiaCaptchaElsewhere: "Usar la página del servidor base",
  uiaSsoAsk: "Inicia sesión de nuevo con tu proveedor de identidad.",
  uiaOAuthAsk: "Aprueba esta solicitud en la página de tu cuenta.",
  uiaFallbackAsk: "Completa el siguiente paso en la página del servidor base.",
  uiaFallbackOpen: "Abrir la página",
  uiaFallbackAgain: "Abrir de nuevo",
  uiaFallbackFinished: "He terminado",
  uiaFallbackOpened: "La página está abierta en otra ventana. Vuelve aquí cuando hayas terminado.",
  uiaFallbackClosed: "La ventana se ha cerrado. Si no has terminado, ábrela de nuevo.",
  uiaFallbackBlocked: "Tu navegador ha bloqueado la ventana. Usa este enlace:",
  uiaFallbackWindow: "Abrir en una ventana nueva",
  uiaFallbackFrame: "La página del servidor base",
  uiaFallbackNone:
    "El servidor base no tiene una página para este paso. Contacta con su administrador.",
  uiaUnfinished: "Este paso aún no se ha completado.",
  uiaNewWindow: "(abre una ventana nueva)",
  uiaWrongPassword: "Contraseña incorrecta.",
  uiaWrongToken: "Token de registro no válido.",
  uiaWrongCode: "Código incorrecto.",
  uiaAddressInUse: "Ya lo usa otra cuenta.",
  uiaAddressUnknown: "No se ha encontrado ninguna cuenta.",
  uiaAddressDenied: "Este servidor base no lo permite.",
  uiaRefused: "El servidor base ha rechazado la solicitud.",
  uiaNetwork:
    "No se puede contactar con el servidor base. Comprueba tu conexión e inténtalo de nuevo.",
  uiaServer: "Algo ha ido mal en el servidor base. Inténtalo de nuevo dentro de un momento.",
  uiaPage: "Esta página no está bien configurada. Contacta con su administrador.",
  uiaWait: "Demasiados intentos. Se reintentará {time}.",
};

addTexts(es);

export default es;
