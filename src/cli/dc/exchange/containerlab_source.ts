import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { parse } from "yaml";
import { mapContainerlab } from "#dc/exchange/containerlab/map_containerlab.ts";
import type { MappedSource } from "#dc/exchange/item.ts";
import { OperationError } from "#kernel/errors.ts";
import type { KnownResources } from "./run_sync.ts";

const MAX_FILE_BYTES = 64 << 20;

/** Reads a containerlab topology file. @throws OperationError if it cannot be read. */
export function readContainerlab(
  known: KnownResources,
  { file, origin, cwd }: { readonly file: string; readonly origin: string; readonly cwd: string },
): MappedSource {
  const mapped = mapContainerlab(readYamlDocument(resolve(cwd, file), file), {
    origin,
    known: known.codes,
    foreign: known.foreign,
  });
  if ("problem" in mapped)
    throw new OperationError("invalid_argument", `"${file}" is no topology of containerlab: ${mapped.problem}`);
  return mapped;
}

function readYamlDocument(path: string, shown: string): unknown {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) throw new Error(`expected at most ${MAX_FILE_BYTES} bytes`);
    return parse(readFileSync(path, "utf8"), { maxAliasCount: 1000 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const kind = code === "ENOENT" ? "not_found" : "invalid_argument";
    throw new OperationError(kind, `Cannot read "${shown}": ${message.split("\n")[0]}`, { cause: error });
  }
}
