import { resolve } from "node:path";
import type { MappedSource } from "#dc/exchange/item.ts";
import type { Cli } from "../../command.ts";
import type { ExitStatus } from "../../exit_status.ts";
import { parseDatabaseLocation } from "../database.ts";
import { createWaitReporter, withImportStore } from "../import/import_store.ts";
import { importFromSource, type SourceReader } from "./import_from.ts";
import { createImportError, type ImportArgs, type SourceName } from "./source_flags.ts";
import { DEFAULT_PRUNE_LIMIT } from "./vanished.ts";

type SourceImportArgs = ImportArgs & { readonly from: SourceName };

/** Imports another program's data into a database. @throws UsageError for flags that the source does not support. */
export async function runSourceImport(args: SourceImportArgs, cli: Cli): Promise<ExitStatus> {
  if (args.token !== undefined)
    throw createImportError('"--token" is visible in the list of processes: expected "--token-file"');
  if (args.prune && args.sites !== undefined && args.origin === undefined) {
    // All items of the other sites would count as deleted.
    throw createImportError('"--prune" with "--sites" needs "--origin": expected a name for the import of these sites');
  }
  const origin = requireOrigin(args.origin ?? args.from);
  const { prune, json, report, "dry-run": dryRun, db } = args;
  const read = SOURCE_READER_FACTORIES[args.from](args, origin, cli.cwd);
  const pruneLimit = args["prune-limit"] ?? DEFAULT_PRUNE_LIMIT;
  if (pruneLimit > 100) throw createImportError(`Wrong value "${pruneLimit}" for "--prune-limit": expected 1 to 100`);
  const options = { origin, dryRun, prune, pruneLimit, json, report, cwd: cli.cwd };
  return withImportStore(parseDatabaseLocation(db, cli.cwd, args), createWaitReporter(cli, false), (opened) =>
    importFromSource(opened, read, options, cli),
  );
}

const SOURCE_READER_FACTORIES: Readonly<
  Record<SourceName, (args: SourceImportArgs, origin: string, cwd: string) => SourceReader>
> = {
  netbox:
    (args, origin, cwd) =>
    async (known, watcher): Promise<MappedSource> => {
      const { readNetbox } = await import("./netbox_source.ts");
      const { mapNetbox } = await import("#dc/exchange/netbox/map_netbox.ts");
      const { readNetboxMapping } = await import("./mapping_file.ts");
      const { mapping: file, url, sites, rate, "token-file": tokenFile } = args;
      const mapping = file === undefined ? { roles: {}, locations: {} } : readNetboxMapping(resolve(cwd, file), file);
      const slugs = sites?.split(",").map((site) => site.trim()) ?? [];
      const source = { path: requireAtMostOnePath(args), url, tokenFile, sites: slugs, rate, cwd };
      const data = await readNetbox(source, known.records, watcher);
      return mapNetbox(data, { origin, ...mapping, known: known.codes, foreign: known.foreign });
    },
  csv:
    (args, origin, cwd) =>
    async (known, watcher): Promise<MappedSource> => {
      const { readCsvTable } = await import("./csv_table.ts");
      const { mapping, encoding } = args;
      return readCsvTable(known, { file: requireOneFile(args), mapping, encoding, origin, cwd }, watcher);
    },
  containerlab:
    (args, origin, cwd) =>
    async (known): Promise<MappedSource> => {
      const { readContainerlab } = await import("./containerlab_source.ts");
      return readContainerlab(known, { file: requireOneFile(args), origin, cwd });
    },
};

/** Returns the only file of the arguments. @throws UsageError for none or several */
function requireOneFile({ from, files }: SourceImportArgs): string {
  const [file] = files;
  if (file === undefined || files.length > 1)
    throw createImportError(`Expected one file for "--from ${from}", found ${files.length}`);
  return file;
}

function requireAtMostOnePath({ files, url }: SourceImportArgs): string | undefined {
  if (files.length > 1) throw createImportError(`Unexpected argument "${files[1]}": expected one file or folder`);
  if (url !== undefined && files.length > 0) throw createImportError('"--url" and a file exclude each other');
  return files[0];
}

function requireOrigin(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/.test(name)) return name;
  throw createImportError(`Wrong value "${name}" for "--origin": expected 1 to 32 letters, digits, '.', '_' or '-'`);
}
