import { spawn } from "node:child_process";
import { platform } from "node:process";

type Command = readonly [command: string, args: readonly string[]];

/** Without a shell: a `&` in the URL would end its command. */
export function openerOf(system: string, url: string): Command {
  if (system === "darwin") return ["open", [url]];
  if (system === "win32") return ["rundll32.exe", ["url.dll,FileProtocolHandler", url]];
  return ["xdg-open", [url]];
}

/** Resolves when the system's opener ends, possibly only when the browser is closed. */
export function openInBrowser(url: string): Promise<void> {
  const [command, args] = openerOf(platform, url);
  return new Promise((resolve, reject) => {
    // Detached, so that the browser stays when the program ends.
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ended with ${code ?? "a signal"}`));
    });
    child.unref();
  });
}
