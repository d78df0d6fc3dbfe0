// The part of Node that this folder uses. Node's own types would add its globals to all of src/,
// and to apps that import the package.

declare module "node:http" {
  interface IncomingMessage {
    readonly method: string;
    readonly url: string;
  }

  interface ServerResponse {
    writeHead(status: number, headers: Readonly<Record<string, string>>): this;
    end(body: string): this;
    once(event: "close", listener: () => void): this;
  }

  interface Server {
    listen(port: number, host: string, listener: () => void): this;
    address(): { readonly port: number };
    once(event: "error", listener: (error: Error) => void): this;
    close(): this;
    closeAllConnections(): void;
  }

  export function createServer(
    listener: (request: IncomingMessage, response: ServerResponse) => void,
  ): Server;
}

declare module "node:child_process" {
  interface ChildProcess {
    once(event: "error", listener: (error: Error) => void): this;
    once(event: "exit", listener: (code: number | null) => void): this;
    unref(): void;
  }

  export function spawn(
    command: string,
    args: readonly string[],
    options: { readonly stdio: "ignore"; readonly detached: true; readonly windowsHide: true },
  ): ChildProcess;
}

declare module "node:process" {
  export const platform: string;
}
