import { expect } from "@open-wc/testing";
import { sendKeys } from "@web/test-runner-commands";
import { restoreStubs, untilRestored } from "../../support/stub.js";
import { found } from "../matrix/states.js";
import { waitFor } from "../support/wait-for.js";

describe("A dialog in a sandboxed frame without allow-forms", () => {
  afterEach(restoreStubs);

  for (const how of ["Enter", "the button"]) {
    it(`submits on ${how}`, async () => {
      const submitted: unknown[] = [];
      const onMessage = ({ data }: MessageEvent): void => void submitted.push(data);
      addEventListener("message", onMessage);
      const frame = document.createElement("iframe");
      frame.sandbox.add("allow-scripts", "allow-same-origin");
      frame.src = new URL("../support/sandboxed.html", import.meta.url).href;
      untilRestored(() => {
        removeEventListener("message", onMessage);
        frame.remove();
      });
      document.body.append(frame);
      const dialogIn = (): Element | null | undefined =>
        frame.contentDocument?.querySelector("uia-dialog");
      await waitFor(() => dialogIn()?.querySelector("[name=password]"));
      const dialog = dialogIn() as Element;
      const [field] = await found<HTMLInputElement>(dialog, "[name=password]");
      await waitFor(() => frame.contentDocument?.activeElement === field);
      await sendKeys({ type: "right" });
      if (how === "Enter") await sendKeys({ press: "Enter" });
      else (await found(dialog, "[part=submit]"))[0].click();
      await waitFor(() => submitted.length > 0);
      expect(submitted).to.deep.equal(["m.login.password"]);
    });
  }
});
