/**
 * The command `emulate-features` of web-test-runner: every media feature that a person's settings can
 * have. The runner's own `emulateMedia` knows but some of them in this browser.
 */
export const mediaFeatures = () => ({
  name: "media-features",
  async executeCommand({ command, payload, session }) {
    if (command !== "emulate-features") return undefined;
    const features = Object.entries(payload).map(([name, value]) => ({ name, value }));
    await session.browser.getPage(session.id).emulateMediaFeatures(features);
    return true;
  },
});
