/** The session that gives a page a coarse pointer. */
const touchOf = new WeakMap();

/**
 * Commands for web-test-runner that a page's script cannot replace. `emulate-features` sets media features,
 * of which the runner's `emulateMedia` supports only some in this browser. `accessibility-tree` returns the
 * browser's tree for screen readers, and `screenshot` a PNG in base64. `environment` returns a variable.
 * `emulate-touch` gives the page a coarse pointer.
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
    if (command === "emulate-touch") {
      const touch = touchOf.get(page) ?? (await page.createCDPSession());
      touchOf.set(page, touch);
      // A new frame in the page ends the emulation, and the browser must notice that it is set again.
      for (const enabled of new Set([false, payload])) {
        await touch.send("Emulation.setTouchEmulationEnabled", { enabled });
      }
      return true;
    }
    if (command === "accessibility-tree") return page.accessibility.snapshot();
    if (command === "environment") return process.env[payload] ?? "";
    if (command === "screenshot") return page.screenshot({ encoding: "base64" });
    return undefined;
  },
});
