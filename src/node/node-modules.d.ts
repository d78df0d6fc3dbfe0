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
  /** Platforms differ in its members, and a module can't import a missing one by name. */
  const process: {
    readonly platform: string;
    readonly pid: number;
    /** Windows and Android have none. */
    readonly getuid?: () => number;
    kill(id: number, signal: 0): true;
  };
  export default process;
}

declare module "node:crypto" {
  interface Bytes {
    toString(encoding: "hex"): string;
  }

  interface Hash {
    update(bytes: Uint8Array): this;
    update(text: string, encoding?: "utf8" | "utf16le"): this;
    digest(encoding: "hex"): string;
  }

  export function createHash(name: "sha256"): Hash;
  export function randomBytes(count: number): Bytes;
}

declare module "node:os" {
  export function hostname(): string;
}

declare module "node:path" {
  export function join(...parts: readonly string[]): string;
  export function resolve(path: string): string;
}

declare module "node:fs" {
  export const constants: Readonly<
    Record<"O_RDONLY" | "O_WRONLY" | "O_CREAT" | "O_EXCL", number>
  > & {
    readonly O_NOFOLLOW?: number;
    readonly O_NONBLOCK?: number;
  };
}

declare module "node:fs/promises" {
  export interface Stats {
    readonly mode: number;
    readonly mtimeMs: number;
    readonly uid: number;
    isDirectory(): boolean;
    isFile(): boolean;
  }

  export interface FileHandle {
    chmod(mode: number): Promise<void>;
    close(): Promise<void>;
    readFile(encoding: "utf8"): Promise<string>;
    stat(): Promise<Stats>;
    sync(): Promise<void>;
    writeFile(text: string): Promise<void>;
  }

  export function chmod(path: string, mode: number): Promise<void>;
  export function lstat(path: string): Promise<Stats>;
  export function mkdir(
    path: string,
    options: { readonly recursive: true; readonly mode: number },
  ): Promise<unknown>;
  export function open(path: string, flags: number, mode?: number): Promise<FileHandle>;
  export function readdir(path: string): Promise<string[]>;
  export function rename(from: string, to: string): Promise<void>;
  export function rm(path: string, options: { readonly force: true }): Promise<void>;
}
