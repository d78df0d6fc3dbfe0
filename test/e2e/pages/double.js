// As a framework in its strict mode does: mount, unmount, mount.
window.heard = [];
document.addEventListener("oidc-success", ({ detail }) => {
  window.heard.push({ type: "oidc-success" });
  window.result = detail;
});
const first = document.querySelector("#first");
first.remove();
document.body.append(first, document.createElement("oidc-callback"));
