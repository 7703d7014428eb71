import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { createPreconditionError, OperationError } from "#kernel/errors.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import type { LogFile } from "#planner/work/records/log_file.ts";
import { describeSystemError, isMissingError } from "../files/disk_error.ts";
import { NON_BLOCKING_READ_FLAGS } from "../files/read_text.ts";
import { isLinkOutside, LOGS_FOLDER } from "../project/places.ts";

export type LogStore = ReturnType<typeof openLogStore>;

/** Opens the log files `.planner/logs/<id>.log`. Source: docs/decisions.md#s-01. */
export function openLogStore(root: string) {
  return {
    /** The log of a spec, or null when it has none. */
    async open(id: SpecId): Promise<LogFile | null> {
      const file = `${LOGS_FOLDER}/${id}.log`;
      const path = join(root, file);
      if (isLinkOutside(root, path)) {
        const message = `Cannot read "${file}": it is a symbolic link that leads out of the project`;
        throw createPreconditionError(message);
      }
      const found = await runWithLogFile(file, path, (handle) => handle.stat());
      if (found === null) return null;
      if (!found.isFile()) throw createPreconditionError(`Cannot read "${file}": it is not a file`);
      return { file, size: found.size, modified: found.mtime, readBytes: createLogReader(file, path) };
    },
  };
}

function createLogReader(file: string, path: string): LogFile["readBytes"] {
  return async (offset, length) => {
    const found = await runWithLogFile(file, path, async (handle) => {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    });
    return found ?? new Uint8Array();
  };
}

/** Calls `use` with the open file; returns null if the file does not exist. */
async function runWithLogFile<Result>(
  file: string,
  path: string,
  use: (handle: FileHandle) => Promise<Result>,
): Promise<Result | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, NON_BLOCKING_READ_FLAGS);
    return await use(handle);
  } catch (error) {
    if (isMissingError(error)) return null;
    throw new OperationError("unavailable", `Cannot read "${file}": ${describeSystemError(error)}`, { cause: error });
  } finally {
    await handle?.close();
  }
}
