import base from "./web-test-runner.config.mjs";
export default { ...base, testsFinishTimeout: 90_000, testFramework: { config: { timeout: 10_000 } } };
