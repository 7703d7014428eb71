import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { convertToDiskError, isMissingError } from "./disk_error.ts";

/** Returns the entries of a project's folder, in no order; empty if it does not exist. @throws OperationError */
export async function readFolderEntries(root: string, folder: string, recursive = false): Promise<readonly Dirent[]> {
  try {
    return await readdir(join(root, folder), { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissingError(error)) return [];
    throw convertToDiskError(`read "${folder}"`, error);
  }
}
