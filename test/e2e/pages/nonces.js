// As in a browser without constructed style sheets, which is told the nonce.
if (new URLSearchParams(location.search).has("no-sheets")) {
  window.litNonce = document.currentScript.nonce;
  delete CSSStyleSheet.prototype.replace;
}
