import type { LogFile } from "#planner/work/records/log_file.ts";

/** A log that lies in memory; `reads` counts the bytes that were asked for. */
export interface MemoryLog extends LogFile {
  readonly reads: { bytes: number; largest: number };
}

export function memoryLog(content: string | Uint8Array): MemoryLog {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const reads = { bytes: 0, largest: 0 };
  return {
    file: ".planner/logs/x.log",
    size: bytes.length,
    modified: new Date(0),
    reads,
    async readBytes(offset, length) {
      reads.bytes += length;
      reads.largest = Math.max(reads.largest, length);
      return bytes.slice(offset, offset + length);
    },
  };
}
