/** A notice from one page of the demo for the next one. */
const NOTICE = "lantern:notice";

export function leaveNotice(notice) {
  sessionStorage.setItem(NOTICE, notice);
}

export function showNotice() {
  const text = sessionStorage.getItem(NOTICE);
  sessionStorage.removeItem(NOTICE);
  if (!text) return;
  const notice = document.querySelector("#notice");
  notice.textContent = text;
  notice.hidden = false;
}
