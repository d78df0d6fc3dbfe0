/**
 * Commands of web-test-runner for what a person sets and perceives, and no script of a page can know:
 * `emulate-features` sets media features (the runner's own `emulateMedia` knows but some of them in
 * this browser), `accessibility-tree` gives what the browser tells a screen reader.
 */
export const person = () => ({
  name: "person",
  async executeCommand({ command, payload, session }) {
    const page = session.browser.getPage(session.id);
    if (command === "emulate-features") {
      const features = Object.entries(payload).map(([name, value]) => ({ name, value }));
      await page.emulateMediaFeatures(features);
      return true;
    }
    if (command === "accessibility-tree") return page.accessibility.snapshot();
    return undefined;
  },
});
