import { closeSync, type FSWatcher, mkdtempSync, openSync, rmdirSync, unlinkSync, watch, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * How long an event may take, in milliseconds, twice over. Ours: it takes a tenth of one, a full look at the files 30.
 * Twice, because a timer that is late itself must not speak before the events that wait behind it.
 */
const TIMEOUT_MS = 50;

const NAMES = ["before", "behind"] as const;
type Name = (typeof NAMES)[number];

/**
 * Waits until every past file event has been delivered: it makes an event and waits for that one.
 *
 * Events of all watchers come through one queue, read in batches by one thread; within a batch those of one watcher may
 * overtake another's. So two events are made, the second after the first has come: it is in a later batch, and every
 * batch is delivered whole before the next is read. They happen in a folder that is removed as soon as its two files
 * are open: nothing is left behind, however the process ends. Two names in turn, because an event like the one just
 * before it is swallowed.
 */
export class EventFence {
  readonly #watcher: FSWatcher;
  readonly #descriptors: Readonly<Record<Name, number>>;
  #awaited: { readonly name: Name; readonly settle: (seen: boolean) => void } | undefined;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;
  #closed = false;

  /** @throws an error of the system where there is no room for two files and a watcher */
  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "planner-"));
    const path = (name: Name): string => join(folder, name);
    this.#descriptors = { before: openSync(path("before"), "wx"), behind: openSync(path("behind"), "wx") };
    this.#watcher = watch(folder, { persistent: false }, (type, name) => {
      // The removal of the names below is reported as "rename".
      if (type === "change" && name === this.#awaited?.name) this.#awaited?.settle(true);
    });
    this.#watcher.on("error", () => this.close());
    for (const name of NAMES) unlinkSync(path(name));
    rmdirSync(folder);
  }

  /**
   * Answers true once every event of what was done before the call has been delivered, false when events do not come.
   * Calls that wait at the same time share one fence that was made after all of them.
   */
  pass(): Promise<boolean> {
    if (this.#running === undefined) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.pass();
    });
    return this.#next;
  }

  /** Waiting callers get false. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#awaited?.settle(false);
    this.#watcher.close();
    for (const name of NAMES) closeSync(this.#descriptors[name]);
  }

  async #run(): Promise<boolean> {
    for (const name of NAMES) if (!(await this.#make(name))) return false;
    return true;
  }

  #make(name: Name): Promise<boolean> {
    // A closed descriptor's number may belong to another file by now.
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (seen: boolean): void => {
        clearTimeout(timer);
        this.#awaited = undefined;
        resolve(seen);
      };
      // The timer also keeps a process alive that waits for nothing else.
      let timer = setTimeout(() => {
        timer = setTimeout(() => settle(false), TIMEOUT_MS);
      }, TIMEOUT_MS);
      this.#awaited = { name, settle };
      writeSync(this.#descriptors[name], ".", 0);
    });
  }
}
