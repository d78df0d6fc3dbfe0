// One browser, or several programs, with everything that the core's sessions wait for: time, locks, messages, and
// storages. Nothing happens by itself: a schedule chooses the next task, so each order that a browser allows can be
// played, and played again.

/** Something that a page or a server waits for. */
interface Task {
  /** Tasks of a lane run in their order. */
  readonly lane: string;
  /** Undefined for the world outside the pages: servers, disks. */
  readonly page: Page | undefined;
  /** In milliseconds since the world's start. */
  readonly due: number;
  readonly run: () => void;
  /** Whether it runs after its page has closed, too. */
  survives: boolean;
}

/** A tab with a loaded document, or a program in Node. */
export interface Page {
  readonly name: string;
  /** Pages of one browser share locks, messages, and storages. Programs share only files. */
  readonly isProgram: boolean;
  isClosed: boolean;
  isFrozen: boolean;
  /** How often it was frozen. */
  freezes: number;
  /** Whether it waits for IndexedDB to open. */
  isOpening: boolean;
  /** Whether its storages can't be opened, as those of a worker that is older than the page. */
  isCutOff: boolean;
  /** Whether its storages can be read, but not changed. */
  isReadOnly: boolean;
  /** Whether it is in the browser's page cache, where it gets no messages. */
  isCached: boolean;
  /** Whether it has no messages. */
  isDeaf: boolean;
  /** How far a program's clock is ahead of the others'. */
  clockOffset: number;
  /** Called if it comes back from the page cache. */
  onShow: Set<(event: object) => void>;
}

export const createPage = (name: string, isProgram: boolean): Page => ({
  name,
  isProgram,
  isClosed: false,
  isFrozen: false,
  freezes: 0,
  isOpening: false,
  isCutOff: false,
  isReadOnly: false,
  isCached: false,
  isDeaf: false,
  clockOffset: 0,
  onShow: new Set(),
});

export type StorageName = "localStorage" | "indexedDB" | "disk";

const EPOCH = Date.UTC(2026, 0, 1);

/** A world that does not come to rest after so many tasks never will. */
const MAX_TASKS = 200_000;

const drainMicrotasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class World {
  /** Since the start: timers need it. */
  time = 0;
  /** What the user or a time server has added to the clock. */
  clockOffset = 0;
  /** Whether locks exist: only secure contexts have them. */
  readonly hasLocks: boolean;
  /** Whether writing fails, as on a full disk. */
  isFull = false;
  /** Whether IndexedDB never responds. */
  isDatabaseStuck = false;
  /**
   * Whether the change of an app's own store that happens now is that of a page which has closed, or of a page that had
   * the lock before such a change: a lock ends with its page, but what the page has sent to its store comes later.
   */
  isRaced = false;
  /** How many changes by closed pages an app's own store has had. */
  #lateChanges = 0;
  /** How many there were when a page was granted a lock. */
  readonly #lateBefore = new Map<Page, number>();
  readonly items: Readonly<Record<StorageName, Map<string, string>>> = {
    localStorage: new Map(),
    indexedDB: new Map(),
    disk: new Map(),
  };
  /** Called before each change of an item; null stands for no item. */
  onWrite: (storage: StorageName, key: string, value: string | null) => void = () => undefined;
  /** Follows a schedule, to understand it. */
  trace: ((line: string) => void) | undefined;
  #tasks: Task[] = [];
  readonly #keeper = createPage("keeper", false);
  readonly #locks = new Map<string, Lock>();
  readonly #channels = new Set<Channel>();
  #count = 0;

  constructor({ hasLocks }: { readonly hasLocks: boolean }) {
    this.hasLocks = hasLocks;
  }

  /** The servers' clock is right. */
  get serverTime(): number {
    return EPOCH + this.time;
  }

  now(): number {
    return this.serverTime + this.clockOffset;
  }

  schedule(
    lane: string,
    page: Page | undefined,
    run: () => void,
    { ms = 0, survives = false } = {},
  ): Task {
    const task = { lane, page, due: this.time + ms, run, survives };
    if (page?.isClosed) return task;
    let at = this.#tasks.length;
    while (at > 0 && (this.#tasks[at - 1] as Task).due > task.due) at -= 1;
    this.#tasks.splice(at, 0, task);
    return task;
  }

  /** A task without order. */
  soon(page: Page | undefined, run: () => void, survives = false): Task {
    this.#count += 1;
    return this.schedule(`once ${this.#count}`, page, run, { survives });
  }

  cancel(task: Task): void {
    const at = this.#tasks.indexOf(task);
    if (at !== -1) this.#tasks.splice(at, 1);
  }

  /** Runs one of the tasks that can run now. If none can, time passes until one can. */
  async run(choice: number): Promise<boolean> {
    let ready = this.#ready();
    if (ready.length === 0) {
      const next = this.#tasks.find((task) => canRun(task));
      if (!next) return false;
      this.time = Math.max(this.time, next.due);
      ready = this.#ready();
    }
    const task = ready[choice % ready.length] as Task;
    this.cancel(task);
    this.trace?.(`${this.time} ${task.page?.name ?? "world"}: ${task.lane}`);
    task.run();
    await drainMicrotasks();
    return true;
  }

  /** Lets the code of the pages run until it waits. */
  turn(): Promise<void> {
    return drainMicrotasks();
  }

  /** Runs everything, in its order. */
  async settle(): Promise<void> {
    await drainMicrotasks();
    for (let count = 0; await this.run(0); count += 1) {
      if (count > MAX_TASKS) throw new Error("The world does not come to rest");
    }
  }

  #ready(): Task[] {
    const lanes = new Set<string>();
    return this.#tasks.filter((task) => {
      if (task.due > this.time || !canRun(task) || lanes.has(task.lane)) return false;
      lanes.add(task.lane);
      return true;
    });
  }

  /** Ends a page's code. What it has sent, or committed, goes on. */
  close(page: Page): void {
    page.isClosed = true;
    this.#tasks = this.#tasks.filter((task) => task.page !== page || task.survives);
    for (const channel of this.#channels) if (channel.page === page) this.#channels.delete(channel);
    for (const [name, lock] of this.#locks) {
      lock.waiting = lock.waiting.filter((waiter) => waiter.page !== page);
      if (lock.holder?.page === page) this.#release(name);
    }
  }

  /** What a page sees. Members that its kind lacks are undefined. */
  globalsOf(page: Page): Readonly<Record<string, unknown>> {
    const common = {
      setTimeout: (run: (given: unknown) => void, ms: number, given: unknown) =>
        this.schedule(`timers ${page.name}`, page, () => run(given), { ms }),
      clearTimeout: (timer: Task | undefined) => timer && this.cancel(timer),
      now: () => this.now() + page.clockOffset,
      BroadcastChannel: this.#channelClass(page),
    };
    const navigator = { locks: this.hasLocks ? { request: this.#lockRequest(page) } : undefined };
    if (page.isProgram) return { ...common, navigator };
    return {
      ...common,
      navigator,
      location: { href: "https://app.example/" },
      onpageshow: null,
      addEventListener: (
        type: string,
        listener: (event: object) => void,
        { signal }: { signal?: AbortSignal } = {},
      ) => {
        if (type !== "pageshow" || signal?.aborted) return;
        page.onShow.add(listener);
        signal?.addEventListener("abort", () => page.onShow.delete(listener));
      },
      document: { addEventListener: () => undefined },
      localStorage: this.#localStorage(page),
      indexedDB: { open: () => this.#openDatabase(page) },
    };
  }

  /** @throws if the page can't use its storages. */
  #reach(page: Page, isChange = false): void {
    if (page.isCutOff) throw new DOMException("Cut off", "UnknownError");
    if (isChange && page.isReadOnly) throw new DOMException("Read-only", "ReadOnlyError");
  }

  /** A page leaves, and may come back. A browser ends a page that waits for something. */
  cache(page: Page): boolean {
    const isBusy =
      [...this.#locks.values()].some(
        ({ holder, waiting }) =>
          holder?.page === page || waiting.some((each) => each.page === page),
      ) || this.#tasks.some((task) => task.page === page && task.lane.startsWith("database"));
    if (isBusy) return false;
    page.isCached = page.isFrozen = true;
    page.freezes += 1;
    return true;
  }

  show(page: Page): void {
    page.isFrozen = false;
    if (!page.isCached) return;
    page.isCached = false;
    this.soon(page, () => page.onShow.forEach((listener) => listener({ persisted: true })));
  }

  write(storage: StorageName, key: string, value: string | null): void {
    if (this.isFull && value !== null) throw new DOMException("Full", "QuotaExceededError");
    const items = this.items[storage];
    if ((items.get(key) ?? null) === value) return;
    this.onWrite(storage, key, value);
    if (value === null) items.delete(key);
    else items.set(key, value);
  }

  #localStorage(page: Page): object {
    const items = this.items.localStorage;
    const write = (key: string, value: string | null) => {
      this.#reach(page, true);
      this.write("localStorage", key, value);
    };
    const methods = {
      getItem: (key: string) => {
        this.#reach(page);
        return items.get(key) ?? null;
      },
      setItem: (key: string, value: string) => write(key, value),
      removeItem: (key: string) => write(key, null),
    };
    // Its own keys are its items.
    return new Proxy(methods, {
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    });
  }

  // IndexedDB: a transaction runs as a whole when its turn comes, and its page learns of it in a later task.

  #openDatabase(page: Page): object {
    const request: {
      result?: unknown;
      error?: unknown;
      onsuccess?: () => void;
      onerror?: () => void;
    } = {};
    const transaction = () => {
      this.#reach(page);
      if (page.isClosed) throw new DOMException("Closed", "InvalidStateError");
      return this.#transaction(page);
    };
    page.isOpening = true;
    if (!this.isDatabaseStuck) {
      this.soon(page, () => {
        page.isOpening = false;
        if (page.isCutOff) {
          request.error = new DOMException("Cut off", "UnknownError");
          return request.onerror?.();
        }
        request.result = {
          transaction,
          close: () => undefined,
          objectStoreNames: { contains: () => true },
        };
        request.onsuccess?.();
      });
    }
    return request;
  }

  #transaction(page: Page): object {
    const operations: (() => void)[] = [];
    const changes = new Map<string, string | null>();
    const valueOf = (key: string) =>
      changes.has(key) ? (changes.get(key) ?? undefined) : this.items.indexedDB.get(key);
    const operation = (use: () => unknown) => {
      const request: { result?: unknown; onsuccess?: () => void } = {};
      operations.push(() => {
        request.result = use();
        request.onsuccess?.();
      });
      return request;
    };
    const transaction = {
      error: null as unknown,
      oncomplete: undefined as (() => void) | undefined,
      onabort: undefined as (() => void) | undefined,
      commit: () => void (task.survives = true),
      abort: () => this.cancel(task),
      objectStore: () => ({
        transaction,
        get: (key: string) => operation(() => valueOf(key)),
        getKey: (key: string) => operation(() => (valueOf(key) === undefined ? undefined : key)),
        getAllKeys: () => operation(() => [...this.items.indexedDB.keys()].sort()),
        put: (value: string, key: string) => operation(() => changes.set(key, value)),
        delete: (key: string) => operation(() => changes.set(key, null)),
      }),
    };
    const commit = () => {
      if (this.isDatabaseStuck) return;
      for (let next = operations.shift(); next; next = operations.shift()) next();
      let end = () => transaction.oncomplete?.();
      const isFull = this.isFull && [...changes.values()].some((value) => value !== null);
      const isRefused = page.isCutOff || (page.isReadOnly && changes.size > 0);
      if (isFull || isRefused) {
        transaction.error = new DOMException("", isFull ? "QuotaExceededError" : "UnknownError");
        end = () => transaction.onabort?.();
      } else for (const [key, value] of changes) this.write("indexedDB", key, value);
      this.schedule(`database ${page.name}`, page, end);
    };
    const task = this.schedule("database", page, commit);
    return transaction;
  }

  /** A store with promises: a folder of files, or an app's own. A program that is killed leaves each file whole. */
  diskStore(page: Page, { isTransactional }: { readonly isTransactional: boolean }): object {
    const items = this.items.disk;
    const later = <T>(use: () => T, isChange = false): Promise<T> =>
      new Promise((resolve, reject) => {
        this.soon(undefined, () => {
          try {
            this.#reach(page, isChange);
            const result = use();
            this.soon(page, () => resolve(result));
          } catch (error) {
            this.soon(page, () => reject(error as Error));
          }
        });
      });
    const write = (key: string, value: string | null) => this.write("disk", key, value);
    const change = (key: string, value: string | null) =>
      later(() => {
        const before = this.#lateBefore.get(page) ?? this.#lateChanges;
        this.isRaced = page.isClosed || before !== this.#lateChanges;
        try {
          write(key, value);
        } finally {
          this.isRaced = false;
        }
        if (page.isClosed) this.#lateChanges += 1;
      }, true);
    type Change = (value: string | undefined) => string | null | undefined;
    const update = (key: string, change: Change) =>
      new Promise<void>((resolve, reject) => {
        this.soon(page, () => {
          try {
            this.#reach(page);
            const next = change(items.get(key));
            if (next !== undefined) this.#reach(page, true);
            if (next !== undefined) write(key, next);
            this.soon(page, resolve);
          } catch (error) {
            this.soon(page, () => reject(error as Error));
          }
        });
      });
    return {
      getItem: (key: string) => later(() => items.get(key)),
      setItem: (key: string, value: string) => change(key, value),
      removeItem: (key: string) => change(key, null),
      keys: () => later(() => [...items.keys()]),
      ...(isTransactional && { update }),
    };
  }

  // Locks: https://www.w3.org/TR/web-locks/. A frozen page is granted locks, too, and keeps them.

  /** Each program has its own: https://nodejs.org/api/worker_threads.html#locks */
  #lockRequest(page: Page) {
    return (given: string, { signal }: { signal?: AbortSignal }, hold: () => Promise<void>) =>
      new Promise<void>((resolve, reject) => {
        const name = page.isProgram ? `${page.name} ${given}` : given;
        let isAborted = false;
        const grant = () => {
          if (isAborted) return void (lock.holder === waiter && this.#release(name));
          signal?.removeEventListener("abort", abort);
          if (name.endsWith(":change")) this.#lateBefore.set(page, this.#lateChanges);
          // Another page may have stolen it.
          const release = () =>
            this.soon(page, () => lock.holder === waiter && this.#release(name));
          hold().finally(release).then(resolve, reject);
        };
        const waiter: Waiter = { page, grant };
        const abort = () => {
          isAborted = true;
          lock.waiting = lock.waiting.filter((other) => other !== waiter);
          reject(signal?.reason as Error);
        };
        const lock = this.#locks.get(name) ?? { waiting: [], holder: undefined };
        this.#locks.set(name, lock);
        if (signal?.aborted) return abort();
        signal?.addEventListener("abort", abort);
        lock.waiting.push(waiter);
        this.#grantNext(lock);
      });
  }

  /** Whether a lease says now who may refresh tokens, or change an app's own store. */
  get hasLease(): boolean {
    return Object.values(this.items).some((items) =>
      [...items.keys()].some((key) => key.endsWith(":lease")),
    );
  }

  /** Another page takes a lock, and keeps it until {@link releaseKept}. */
  keepLock(name: string): void {
    void this.#lockRequest(this.#keeper)(name, {}, () => new Promise(() => undefined));
  }

  /** Code of the page takes the lock from its holder, which doesn't stop the holder. */
  stealLock(name: string): void {
    this.#release(name);
  }

  releaseKept(): void {
    this.close(this.#keeper);
  }

  #grantNext(lock: Lock): void {
    const next = lock.holder ? undefined : lock.waiting.shift();
    if (!next) return;
    lock.holder = next;
    this.soon(next.page, next.grant);
  }

  #release(name: string): void {
    const lock = this.#locks.get(name);
    if (!lock) return;
    lock.holder = undefined;
    this.#grantNext(lock);
  }

  #channelClass(page: Page): unknown {
    const channels = this.#channels;
    const deliver = (to: Channel, data: unknown) =>
      this.schedule(`messages ${to.id}`, to.page, () => {
        if (channels.has(to)) to.onmessage?.({ data });
      });
    const isReached = (other: Page) =>
      other === page || !(page.isDeaf || page.isCached || other.isDeaf || other.isCached);
    let count = 0;
    return class implements Channel {
      onmessage: Channel["onmessage"] = undefined;
      readonly page = page;
      readonly id = `${page.name} ${(count += 1)}`;
      readonly name: string;
      constructor(name: string) {
        this.name = name;
        if (page.isDeaf) throw new DOMException("No messages", "SecurityError");
        channels.add(this);
      }
      postMessage(data: unknown): void {
        for (const other of channels) {
          const isNear = other.page === page || !(page.isProgram || other.page.isProgram);
          const isOther = other !== this && other.name === this.name;
          if (isOther && isNear && isReached(other.page)) deliver(other, data);
        }
      }
      close(): void {
        channels.delete(this);
      }
    };
  }
}

interface Waiter {
  readonly page: Page;
  readonly grant: () => void;
}

interface Lock {
  waiting: Waiter[];
  holder: Waiter | undefined;
}

interface Channel {
  readonly page: Page;
  readonly id: string;
  readonly name: string;
  onmessage: ((event: { readonly data: unknown }) => void) | undefined;
}

const canRun = ({ page, survives }: Task): boolean => survives || !page?.isFrozen;
