import type { Cli } from "../../declaration.ts";
import type { ExitStatus } from "../../exit_status.ts";
import { parseDatabaseLocation } from "../database.ts";
import { createImportError, type ImportArgs } from "../exchange/source_flags.ts";
import { requireKind } from "../kinds.ts";
import { resolveServerAddress } from "../server_address.ts";
import { importFiles, openDatabaseTarget } from "./import_files.ts";
import { createWaitReporter, withImportStore } from "./import_store.ts";

/** Maximum wait for one batch, in seconds. */
const IMPORT_TIMEOUT_S = 300;

/** Imports files into a database, or with `--url` into a running server. @throws UsageError for conflicting flags */
export async function runImportCommand(args: ImportArgs, cli: Cli): Promise<ExitStatus> {
  const { files, db, format, kind, errors, encoding = "utf-8", atomic, "dry-run": dryRun, json, url, token } = args;
  const requiredKind = kind === undefined ? undefined : requireKind(kind);
  const options = { files, format, kind: requiredKind, errors, encoding, atomic, dryRun, json, cwd: cli.cwd };
  if (url !== undefined) {
    if (db !== undefined) throw createImportError('"--url" and "--db" exclude each other');
    if (atomic || dryRun)
      throw createImportError('"--atomic" and "--dry-run" need a database: a server takes calls one by one');
    const { createServerTarget } = await import("./server_target.ts");
    const address = resolveServerAddress({ url, token, timeout: IMPORT_TIMEOUT_S }, cli.cwd);
    return importFiles(async () => createServerTarget(address), options, cli);
  }
  if (token !== undefined) throw createImportError('"--token" needs "--url <address>"');
  const waiting = createWaitReporter(cli, false);
  return withImportStore(parseDatabaseLocation(db, cli.cwd, args), waiting, (opened) =>
    importFiles(() => openDatabaseTarget(opened, options, waiting), options, cli),
  );
}
