import { join } from "node:path";
import { setTimeout as runLater } from "node:timers";
import type { SpecSet } from "../../ports.ts";
import { SPECS } from "../project/places.ts";
import { FolderFollower } from "./folder_follower.ts";
import { FolderNames } from "./folder_names.ts";
import { SpecFiles } from "./spec_files.ts";

/** Least time between two rounds over every file while its folder is followed, in milliseconds. */
const ROUND_MS = 1000;

/** Files of one step of a round, and the pause behind it in milliseconds: a step takes about half a millisecond. */
const STEP_FILES = 256;
const STEP_PAUSE_MS = 5;

/**
 * The parsed active specs. A read reflects every write that was finished before it began.
 *
 * Followed, a read waits for the folder's outstanding events and reads what they name: well under a millisecond where
 * nothing changed. Not followed, it looks at the state of every file: about 3 µs each. What events cannot tell (a file
 * with several names, a symbolic link) is looked at every time; a round over every file while the index is in use finds
 * what even the kernel does not report, as a write through a memory mapping.
 */
export class SpecIndex {
  readonly names: FolderNames;
  readonly #files: SpecFiles;
  readonly #follower: FolderFollower | undefined;
  #roundAt = 0;

  /** @param follow whether the engine reports file events in order */
  constructor(root: string, follow: boolean) {
    this.names = new FolderNames(root, SPECS);
    this.#files = new SpecFiles({ root, folder: SPECS, archived: false, names: this.names });
    this.#follower = follow ? new FolderFollower(join(root, SPECS)) : undefined;
  }

  /** Every active spec, the same object as before when nothing changed. */
  async read(): Promise<SpecSet> {
    await this.#follower?.settle();
    // From here on nothing waits, so that no other read can take these changes without their files being read.
    const changed = this.#follower?.take() ?? null;
    if (changed === null) this.#readAll();
    else {
      this.#files.check(changed);
      this.#startRound();
    }
    return this.#files.set;
  }

  #readAll(): void {
    try {
      this.#files.checkAll();
      this.#roundAt = performance.now();
    } catch (error) {
      this.#follower?.stop();
      throw error;
    }
  }

  #startRound(): void {
    const now = performance.now();
    if (now - this.#roundAt < ROUND_MS) return;
    this.#roundAt = now;
    this.#stepSoon(0);
  }

  #stepSoon(from: number): void {
    if (from <= this.#files.size) runLater(() => this.#step(from), STEP_PAUSE_MS).unref();
  }

  #step(from: number): void {
    try {
      if (from === 0) this.#files.checkNames();
      this.#files.checkSome(from, STEP_FILES);
      this.#stepSoon(from + STEP_FILES);
    } catch {
      // The folder cannot be read: the next read looks at everything and says why.
      this.#follower?.stop();
    }
  }
}
