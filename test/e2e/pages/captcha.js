// docs/guides/captchas.md, with another host.
const dialog = document.querySelector("uia-dialog");
dialog.loadCaptcha = async () => {
  const script = document.createElement("script");
  script.src = `${dialog.dataset.captcha}captcha-api.js?render=explicit`;
  const loaded = new Promise((resolve, reject) => {
    script.addEventListener("load", resolve);
    script.addEventListener("error", reject);
  });
  document.head.append(script);
  await loaded;
  return new Promise((resolve) => window.grecaptcha.ready(() => resolve(window.grecaptcha)));
};
