import { spawn } from "node:child_process";
import { platform } from "node:process";

/**
 * The command that opens a URL in the user's browser, without a shell: a `&` in the URL would end its command.
 *
 * @param system Node's `process.platform`.
 */
export function openerOf(
  system: string,
  url: string,
): readonly [command: string, args: readonly string[]] {
  if (system === "darwin") return ["open", [url]];
  if (system === "win32") return ["rundll32.exe", ["url.dll,FileProtocolHandler", url]];
  return ["xdg-open", [url]];
}

/**
 * Opens a URL in the user's browser.
 *
 * @returns Resolves when the system's opener ends, which may be when the browser is closed. It rejects if there is no
 *   opener, or if it fails.
 */
export function openInBrowser(url: string): Promise<void> {
  const [command, args] = openerOf(platform, url);
  return new Promise((resolve, reject) => {
    // Detached, so that the browser stays when the program ends.
    const child = spawn(command, args, {
      stdio: "ignore",
      detached: true,
      windowsHide: true,
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ended with ${code ?? "a signal"}`));
    });
    child.unref();
  });
}
