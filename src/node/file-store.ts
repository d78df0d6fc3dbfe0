import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  type Stats,
} from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { retry } from "../core/http/retry.js";
import { wait } from "../core/http/wait.js";
import type { ItemChange, SessionStore } from "../core/index.js";

/** Windows has neither owners nor these modes, and creating links there requires special rights. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Without `O_NONBLOCK`, opening a pipe waits for its writer. */
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS = 0o077;

const LOCK_POLL_MS = 10;
/** A change takes milliseconds, so a lock of this age belongs to a process that has ended. */
const STALE_LOCK_MS = 10_000;
const LOCK_TIMEOUT_MS = 30_000;

/**
 * A store in a folder, for the sessions of a program that runs in Node. Each session is a file that
 * only its user can read: the folder gets the mode 0700, each file 0600, even if they existed before.
 * Symbolic links are rejected. A change replaces the whole file while other processes wait, so no
 * change is lost. Any string is a valid key: it does not become part of a path.
 *
 * The tokens are not encrypted. On Windows, the folder's own permissions apply: use a folder in the
 * user's profile.
 *
 * @param folder The folder's path. It is created if it is missing. No other program should use it.
 * @returns A store with promises. Its methods reject with the errors of `node:fs`. They also reject
 *   if a file is a link or belongs to another program.
 * @experimental
 */
export function createFileStore(folder: string): Required<SessionStore> {
  // The program might change its working folder. A slash at the end would follow a link.
  folder = resolve(folder);
  const fileOf = (key: string): string => join(folder, `${hashOf(key)}.json`);

  const update = async (key: string, change: ItemChange): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await secureFolder(folder);
    const file = fileOf(key);
    const lock = await takeLock(`${file}.lock`);
    try {
      await removeRests(folder, file);
      const next = change((await readItem(file))?.value);
      if (next === undefined) return;
      const text = next === null ? undefined : JSON.stringify({ key, value: next });
      const written = text === undefined ? undefined : await writeNext(file, text);
      if (!(await lock.isMine())) {
        // This process was suspended, and another process now has the lock.
        if (written) await rm(written, { force: true });
        return await update(key, change);
      }
      // After a crash, there is either the old file or the new one.
      await (written ? rename(written, file) : rm(file, { force: true }));
    } finally {
      await lock.release();
    }
  };

  return {
    update,
    async getItem(key: string) {
      await secureFolder(folder);
      return (await readItem(fileOf(key)))?.value;
    },
    setItem: (key, value) => update(key, () => value),
    removeItem: (key) => update(key, () => null),
    async keys() {
      await secureFolder(folder);
      const names = await readdir(folder).catch(ifMissing([]));
      const files = names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
      // A file of another program must not hide the sessions.
      const items = await Promise.all(
        files.map((name) => readItem(join(folder, name)).catch(() => undefined)),
      );
      return items.flatMap((item) => item?.key ?? []);
    },
  };
}

/** UTF-8 encodes all lone surrogates as the same character. It never contains the byte 0xff. */
function hashOf(key: string): string {
  const hash = createHash("sha256");
  const isText = !/\p{Cs}/u.test(key);
  if (isText) hash.update(key);
  else hash.update(Uint8Array.of(0xff)).update(key, "utf16le");
  return hash.digest("hex");
}

interface Item {
  readonly key: string;
  readonly value: string;
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as Error & { readonly code?: unknown }).code === code;

const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (hasCode(error, "ENOENT")) return value;
    throw error;
  };

/** Does nothing if the folder doesn't exist. */
async function secureFolder(folder: string): Promise<void> {
  const stat = await lstat(folder).catch(ifMissing(undefined));
  if (!stat) return;
  if (!stat.isDirectory()) throw new Error(`${folder} is not a folder`);
  assertOwner(stat, folder);
  if (stat.mode & OTHERS) await chmod(folder, FOLDER_MODE);
}

function assertOwner({ uid }: Stats, path: string): void {
  if (uid !== (process.getuid?.() ?? uid)) throw new Error(`${path} belongs to another user`);
}

/** Reads a file of this user. Undefined if there is no file. */
async function readOwn(path: string): Promise<string | undefined> {
  const file = await open(path, READ).catch(ifMissing(undefined));
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file`);
    assertOwner(stat, path);
    // The file was created with other rights.
    if (stat.mode & OTHERS) await file.chmod(FILE_MODE);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function readItem(path: string): Promise<Item | undefined> {
  const text = await readOwn(path);
  return text === undefined ? undefined : parseItem(text, path);
}

function parseItem(text: string, path: string): Item {
  const { key, value } = Object(parse(text)) as Partial<Record<keyof Item, unknown>>;
  if (typeof key === "string" && typeof value === "string") return { key, value };
  throw new Error(`${path} is not a session's file`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns The path of the new file. */
async function writeNext(path: string, text: string): Promise<string> {
  const next = `${path}.${randomBytes(8).toString("hex")}.new`;
  await createFile(next, async (file) => {
    await file.writeFile(text);
    // A replaced refresh token must not reappear after a crash.
    await file.sync();
  });
  return next;
}

/** Creates a file that must not exist. If its content can't be written, the file is removed. */
async function createFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE);
  try {
    await write(file).finally(() => file.close());
  } catch (error) {
    // For example, the disk is full.
    await rm(path, { force: true });
    throw error;
  }
}

/**
 * Removes files with tokens that a crashed process has left. Call it while holding the file's lock.
 */
async function removeRests(folder: string, path: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const rest = join(folder, name);
    if (rest.startsWith(`${path}.`) && rest.endsWith(".new")) await rm(rest, { force: true });
  }
}

interface Lock {
  isMine(): Promise<boolean>;
  release(): Promise<void>;
}

/** Creates a file that only one process can create. */
async function takeLock(path: string): Promise<Lock> {
  const owner = `${hostname()} ${process.pid} ${randomBytes(8).toString("hex")}`;
  const isMine = async () => (await readOwn(path)) === owner;
  const release = async () => {
    if (await isMine()) await rm(path, { force: true });
  };
  const create = async (): Promise<Lock> => {
    await createFile(path, (file) => file.writeFile(owner));
    return { isMine, release };
  };
  return retry(create, (error, attempts) => {
    if (!hasCode(error, "EEXIST")) return undefined;
    if (attempts > LOCK_TIMEOUT_MS / LOCK_POLL_MS) throw new Error(`Another process keeps ${path}`);
    return breakStaleLock(path).then(() => wait(LOCK_POLL_MS));
  });
}

async function breakStaleLock(path: string): Promise<void> {
  const owner = await ownerOfStaleLock(path);
  if (owner === undefined) return;
  // If several processes try this, only one moves the lock away.
  const moved = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    await rename(path, moved);
  } catch (error) {
    return ifMissing(undefined)(error);
  }
  // Another process may have taken the lock in between. Then it gets the lock back.
  const isOther = (await readOwn(moved)) !== owner;
  if (isOther) await rename(moved, path);
  else await rm(moved, { force: true });
}

/** Undefined if the lock is released, or if its process may still be running. */
async function ownerOfStaleLock(path: string): Promise<string | undefined> {
  const stat = await lstat(path).catch(ifMissing(undefined));
  const owner = await readOwn(path);
  if (!stat || owner === undefined) return undefined;
  const [host, process] = owner.split(" ");
  const hasEnded = host === hostname() && !isRunning(Number(process));
  return hasEnded || Math.abs(Date.now() - stat.mtimeMs) > STALE_LOCK_MS ? owner : undefined;
}

function isRunning(id: number): boolean {
  // It is still being written.
  if (!(id > 0)) return true;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
