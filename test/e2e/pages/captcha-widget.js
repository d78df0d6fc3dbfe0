const { src } = document.currentScript;
window.grecaptcha.render = (container, { sitekey }) => {
  const frame = document.createElement("iframe");
  frame.src = new URL("captcha-frame.html", src).href;
  container.append(frame);
  window.rendered = sitekey;
  return 0;
};
window.grecaptcha.reset = () => undefined;
