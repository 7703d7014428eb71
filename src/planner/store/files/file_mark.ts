import { type Stats, statSync } from "node:fs";

/** Metadata that distinguishes two states of a file or folder without reading it. */
export interface FileMark {
  readonly device: number;
  readonly inode: number;
  readonly size: number;
  readonly modifiedMs: number;
  readonly changedMs: number;
}

/** Minimum age in ms at which an equal mark proves no change: older kernels count file times in steps of 10 ms. */
const UNSETTLED_MS = 100;

/** Minimum age in ms at which an equal mark proves no change if the file system counts file times in seconds. */
const UNSETTLED_COARSE_MS = 2100;

export function buildFileMark(stats: Stats): FileMark {
  return { device: stats.dev, inode: stats.ino, size: stats.size, modifiedMs: stats.mtimeMs, changedMs: stats.ctimeMs };
}

/** Returns the mark of the file to which the path leads; null if it cannot be read. */
export function readFileMark(path: string): FileMark | null {
  try {
    return buildFileMark(statSync(path));
  } catch {
    return null;
  }
}

export function isSameMark(a: FileMark, b: FileMark): boolean {
  return (
    a.modifiedMs === b.modifiedMs &&
    a.size === b.size &&
    a.inode === b.inode &&
    a.changedMs === b.changedMs &&
    a.device === b.device
  );
}

/**
 * Returns whether a change right after `nowMs` could leave the mark unchanged, because the clock of file times has not
 * advanced. The caller must read such a file again, as git does with its index.
 */
export function isUnsettledMark(mark: FileMark, nowMs: number): boolean {
  const newest = Math.max(mark.modifiedMs, mark.changedMs);
  return nowMs - newest < (mark.changedMs % 1000 === 0 ? UNSETTLED_COARSE_MS : UNSETTLED_MS);
}
