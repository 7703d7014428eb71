import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperationError } from "#kernel/errors.ts";
import { FORMATS } from "#planner/exchange/formats.ts";
import type { SourceFormat, SourceKind } from "#planner/exchange/source.ts";
import { reason } from "#planner/store/files/disk_error.ts";
import { UsageError } from "../../usage_error.ts";
import { type FoundSource, headOf } from "./read_source.ts";
import { walkFolder } from "./walk_folder.ts";

/**
 * Finds the tool whose tasks are at `path`: a project, the tool's own folder, or a file.
 *
 * @param from the tool, or undefined to detect it
 * @returns undefined if nothing is detected
 * @throws OperationError if `path` cannot be read, or holds nothing of `from`
 * @throws UsageError if tasks of several tools are there
 */
export function findSource(path: string, from: SourceKind | undefined): FoundSource | undefined {
  const formats = FORMATS.filter(({ kind }) => from === undefined || kind === from);
  const found = isFolder(path) ? inFolder(path, formats) : inFile(path, formats, from !== undefined);
  const [first, second] = found;
  if (second !== undefined && from === undefined) {
    const kinds = found.map(({ format }) => format.kind).join(", ");
    throw new UsageError(`"${path}" holds tasks of several tools: ${kinds}; name one with --from`, null);
  }
  if (first !== undefined || from === undefined) return first;
  const [format] = formats;
  const where =
    format === undefined || format.folders.length === 0 ? "" : `, in it or in ${format.folders.join(" or ")}`;
  throw new OperationError(
    "not_found",
    `Cannot import "${path}": expected tasks of ${format?.name}${where}, found none`,
  );
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new OperationError("not_found", `Cannot import "${path}": ${reason(error)}`, { cause: error });
  }
}

function inFolder(path: string, formats: readonly SourceFormat[]): readonly FoundSource[] {
  const below = formats.flatMap((format) => {
    for (const name of format.folders) {
      const folder = join(path, name);
      if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      const listing = walkFolder(folder);
      if (format.matches(listing.paths)) return [{ format, folder, ...listing }];
    }
    return [];
  });
  if (below.length > 0) return below;
  const listing = walkFolder(path);
  return formats
    .filter((format) => format.matches(listing.paths))
    .map((format) => ({ format, folder: path, ...listing }));
}

function inFile(path: string, formats: readonly SourceFormat[], isNamed: boolean): readonly FoundSource[] {
  const name = basename(path);
  const head = headOf(path, path);
  const isOurs = (format: SourceFormat): boolean =>
    isNamed ? format.reads(name) : format.matchesFile?.(name, head) === true;
  return formats.filter(isOurs).map((format) => ({ format, folder: dirname(path), paths: [name], notes: [] }));
}
