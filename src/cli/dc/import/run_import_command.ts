import type { Cli } from "../../command.ts";
import type { ExitStatus } from "../../exit_status.ts";
import { databaseOf } from "../database.ts";
import { type ImportArgs, refuseImport } from "../exchange/source_flags.ts";
import { demandKind } from "../kinds.ts";
import { serverAddress } from "../server_address.ts";
import { importFiles, openDatabaseTarget } from "./import_files.ts";
import { waitReporter, withImportStore } from "./import_store.ts";

/** Longest wait for one batch, in seconds. */
const IMPORT_TIMEOUT_S = 300;

/** Imports into a database, or with `--url` into a running server. @throws UsageError for flags that exclude each other */
export async function runImport(args: ImportArgs, cli: Cli): Promise<ExitStatus> {
  const { files, db, format, kind, errors, encoding = "utf-8", atomic, "dry-run": dryRun, json, url, token } = args;
  const kindOf = kind === undefined ? undefined : demandKind(kind);
  const options = { files, format, kind: kindOf, errors, encoding, atomic, dryRun, json, cwd: cli.cwd };
  if (url !== undefined) {
    if (db !== undefined) throw refuseImport('"--url" and "--db" exclude each other');
    if (atomic || dryRun)
      throw refuseImport('"--atomic" and "--dry-run" need a database: a server takes calls one by one');
    const { serverTarget } = await import("./server_target.ts");
    const address = serverAddress({ url, token, timeout: IMPORT_TIMEOUT_S }, cli.cwd);
    return importFiles(async () => serverTarget(address), options, cli);
  }
  if (token !== undefined) throw refuseImport('"--token" needs "--url <address>"');
  const waiting = waitReporter(cli, false);
  return withImportStore(databaseOf(db, cli.cwd, args), waiting, (opened) =>
    importFiles(() => openDatabaseTarget(opened, options, waiting), options, cli),
  );
}
