/** A notice that one page of the demo leaves for the next one. */
const NOTICE = "lantern:notice";

export function leaveNotice(notice) {
  sessionStorage.setItem(NOTICE, notice);
}

export function takeNotice() {
  const notice = sessionStorage.getItem(NOTICE);
  sessionStorage.removeItem(NOTICE);
  return notice;
}
