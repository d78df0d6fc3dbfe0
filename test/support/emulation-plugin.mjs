/**
 * Commands of web-test-runner for what a page's script can neither set nor read: `emulate-features` sets
 * media features (the runner's own `emulateMedia` knows only some of them in this browser),
 * `accessibility-tree` returns what the browser gives a screen reader, `screenshot` what it shows, as PNG in base64.
 */
export const emulation = () => ({
  name: "emulation",
  async executeCommand({ command, payload, session }) {
    const page = session.browser.getPage(session.id);
    if (command === "emulate-features") {
      const features = Object.entries(payload).map(([name, value]) => ({ name, value }));
      await page.emulateMediaFeatures(features);
      return true;
    }
    if (command === "accessibility-tree") return page.accessibility.snapshot();
    if (command === "screenshot") return page.screenshot({ encoding: "base64" });
    return undefined;
  },
});
