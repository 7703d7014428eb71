import { type FSWatcher, realpathSync, statSync, watch } from "node:fs";
import { basename } from "node:path";
import { isOnLocalDisk } from "../files/local_disk.ts";
import { EventFence } from "./event_fence.ts";
import { isSpecName } from "./folder_names.ts";

/**
 * How long after its last event a file is read again, in milliseconds. Ours: events that follow a like one within 2 ms
 * are swallowed.
 */
const REPEAT_MS = 5;

/** After how many failures in a row the folder is no longer followed. Ours: a machine that cannot report will not learn. */
const MAX_FAILURES = 3;

/**
 * Collects the names that changed in one folder, other processes' changes included. Watching begins with the first use,
 * does not keep the process alive and never throws.
 */
export class FolderFollower {
  readonly #path: string;
  #watcher: FSWatcher | undefined;
  #fence: EventFence | undefined;
  /** The folder that is watched, for a path can come to lead to another one. */
  #identity = "";
  /** Changed names and when their last event came, on the clock of `performance.now()`. */
  readonly #changed = new Map<string, number>();
  #failures = 0;

  /** @param path absolute path of the folder */
  constructor(path: string) {
    this.#path = path;
  }

  /** Waits until every change that was finished before the call is known, or it is known that this cannot be had. */
  async settle(): Promise<void> {
    const fence = this.#fence;
    if (fence === undefined) return;
    const passed = await fence.pass();
    if (passed) this.#failures = 0;
    else if (fence === this.#fence) this.#fail();
  }

  /**
   * The names that changed since the last call, or null when anything may have; `settle` comes first. A name can come
   * again without having changed.
   */
  take(): readonly string[] | null {
    if (this.#watcher !== undefined && this.#identity !== identityOf(this.#path)) this.stop();
    if (this.#watcher === undefined) {
      this.#start();
      return null;
    }
    const now = performance.now();
    const names = [...this.#changed.keys()];
    for (const [name, seen] of this.#changed) if (now - seen > REPEAT_MS) this.#changed.delete(name);
    return names;
  }

  /** Forgets everything: the next `take` answers null. */
  stop(): void {
    this.#watcher?.close();
    this.#fence?.close();
    this.#watcher = undefined;
    this.#fence = undefined;
    this.#changed.clear();
  }

  #start(): void {
    if (this.#failures >= MAX_FAILURES || !isOnLocalDisk(this.#path)) return;
    try {
      this.#identity = identityOf(this.#path);
      const ownName = basename(realpathSync(this.#path));
      this.#fence = new EventFence();
      this.#watcher = watch(this.#path, { persistent: false }, (type, name) => {
        // Without a name events were lost; with the folder's own name it was moved or removed.
        if (name === null || (type === "rename" && name === ownName)) this.stop();
        else if (isSpecName(name)) this.#changed.set(name, performance.now());
      });
      this.#watcher.on("error", () => this.#fail());
    } catch {
      // No watcher to be had: the caller looks at every file instead.
      this.#fail();
    }
  }

  #fail(): void {
    this.#failures++;
    this.stop();
  }
}

/** Device, inode and birth: a new folder may get the number of the one that was just removed. */
function identityOf(path: string): string {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return `${dev}:${ino}:${birthtimeMs}`;
  } catch {
    return "";
  }
}
