import { statfsSync } from "node:fs";

/**
 * File systems of Linux whose every change passes through this machine's kernel, so that none goes unreported: ext2-4,
 * XFS, Btrfs, tmpfs, ZFS, F2FS, overlayfs, bcachefs. Source: statfs(2).
 */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1, 0xf2f52010, 0x794c7630, 0xca451a4e,
]);

/** Whether the path lies on such a file system. A network or shared folder can change without an event. */
export function isOnLocalDisk(path: string): boolean {
  try {
    return LOCAL_TYPES.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
