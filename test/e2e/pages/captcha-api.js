// Stands in for a captcha's script, which adds another one.
const script = document.createElement("script");
script.src = new URL("captcha-widget.js", document.currentScript.src).href;
document.head.append(script);
window.grecaptcha = { ready: (run) => script.addEventListener("load", run) };
