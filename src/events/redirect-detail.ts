/**
 * The detail of an event before a redirect. Changing `url` would have no effect, so it throws, and says what to do
 * instead.
 */
export const redirectDetail = <T extends { readonly url: string }>(detail: T): T => ({
  ...detail,
  get url() {
    return detail.url;
  },
  set url(_) {
    throw new TypeError("detail.url is read-only: cancel the event, and go to a URL of your own");
  },
});
