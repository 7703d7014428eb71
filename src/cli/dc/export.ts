import { join } from "node:path";
import type { ExportFile, ExportInventory } from "#dc/exchange/out/netbox_csv.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import { KINDS } from "#dc/operations/import/run_import.ts";
import { convertModelToJson } from "#dc/operations/messages/model_json.ts";
import { RESOURCE_SCHEMAS } from "#dc/operations/writes/changes.ts";
import { type DcReader, readResourcePages } from "#dc/ports.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { createFolder } from "../output/write_file.ts";
import { UsageError } from "../usage_error.ts";
import { formatCsvRecord, listCsvColumns } from "./csv_columns.ts";
import type { DatabaseLocation } from "./database.ts";
import { writeLines } from "./line_output.ts";
import { withStore } from "./with_service.ts";

export interface ExportOptions {
  readonly format: "jsonl" | "csv";
  /** Kind to export; undefined for all kinds. */
  readonly kind: ResourceKind | undefined;
  /** Path of a file, or of a folder for several CSV files. Default: standard output, or the current folder. */
  readonly output: string | undefined;
}

/** Writes the inventory as JSON Lines, one CSV file, or a folder with one CSV file per kind. Memory: one page. */
export async function exportInventory(
  database: DatabaseLocation,
  { format, kind, output }: ExportOptions,
  log: StderrLogger,
): Promise<void> {
  const count = await withStore(database, (store) =>
    store.read(async (reader) => {
      const kinds = KINDS.filter((one) => kind === undefined || one.kind === kind);
      if (format === "csv" && kind === undefined) return writeCsvFolder(reader, output ?? ".");
      const formatPieces = format === "csv" ? formatKindCsv : formatJsonLines;
      const generateLines = async function* () {
        for (const one of kinds) yield* formatPieces(reader, one.kind);
      };
      return (await writeLines(output, generateLines())) - (format === "csv" ? 1 : 0);
    }),
  );
  log.note(`${count} resources`);
}

async function writeCsvFolder(reader: DcReader, folder: string): Promise<number> {
  createFolder(folder);
  let count = 0;
  for (const { kind, list } of KINDS)
    count += (await writeLines(join(folder, `${list}.csv`), formatKindCsv(reader, kind))) - 1;
  return count;
}

async function* formatJsonLines(reader: DcReader, kind: ResourceKind): AsyncGenerator<string> {
  for await (const resource of readAllResources(reader, kind)) {
    yield `${JSON.stringify({ [kind]: convertModelToJson(RESOURCE_SCHEMAS[kind], resource) })}\n`;
  }
}

async function* formatKindCsv(reader: DcReader, kind: ResourceKind): AsyncGenerator<string> {
  const columns = listCsvColumns(kind);
  yield formatCsvRecord(columns.map(({ name }) => name));
  for await (const resource of readAllResources(reader, kind)) {
    const json = convertModelToJson(RESOURCE_SCHEMAS[kind], resource);
    yield formatCsvRecord(columns.map(({ write }) => write(json)));
  }
}

async function* readAllResources<Kind extends ResourceKind>(
  reader: DcReader,
  kind: Kind,
): AsyncGenerator<ResourceByKind[Kind]> {
  for await (const page of readResourcePages(reader, kind)) yield* page;
}

const FACTS_DESCRIPTION =
  "Devices that can be asked: in service, no patch panel or circuit, with a network port or no ports at all. Facts are labels or variables `planner_<fact>`: code, name, kind, role, status, manufacturer, model, serial, tenant, site, floor, room, row, rack, position_u";

interface ProgramFormat {
  /** Description of the files' content, for the documentation. */
  readonly holds: string;
  readonly write: (inventory: ExportInventory) => Promise<readonly ExportFile[]>;
}

/** Writers of other programs' formats, by program. */
export const EXPORT_TARGETS = {
  "netbox-csv": {
    holds:
      "Sites, manufacturers, types, roles, racks, devices, ports, bays and cables, one file each, numbered in the order of import. Codes are the names there. Devices of one model that differ in height or depth get separate types, such as `R740 (4U)`. Power panels are devices with outlets; feeds, floors, rooms, rows, weights, cooling units and labels have no column",
    write: async (inventory) => (await import("#dc/exchange/out/netbox_csv.ts")).writeNetboxCsv(inventory),
  },
  graphviz: {
    holds: "Cabled devices and an edge for each cable, dashed if it is planned",
    write: async (inventory) => (await import("#dc/exchange/out/netbox_csv.ts")).writeGraphviz(inventory),
  },
  "prometheus-sd": {
    holds: FACTS_DESCRIPTION,
    write: async (inventory) => (await import("#dc/exchange/out/netbox_csv.ts")).writePrometheusSd(inventory),
  },
  ansible: {
    holds: FACTS_DESCRIPTION,
    write: async (inventory) => (await import("#dc/exchange/out/netbox_csv.ts")).writeAnsibleInventory(inventory),
  },
} as const satisfies Readonly<Record<string, ProgramFormat>>;

type ExportTarget = keyof typeof EXPORT_TARGETS;

/** Writes the inventory in another program's format: several files to a folder, one to a file or standard output. */
export async function exportProgramFormat(
  database: DatabaseLocation,
  { to, output }: { readonly to: ExportTarget; readonly output: string | undefined },
  log: StderrLogger,
): Promise<void> {
  const inventory = await withStore(database, (store) =>
    store.read(async (reader) => ({
      racks: await Array.fromAsync(readAllResources(reader, "rack")),
      devices: await Array.fromAsync(readAllResources(reader, "device")),
      cables: await Array.fromAsync(readAllResources(reader, "cable")),
    })),
  );
  const files = await EXPORT_TARGETS[to].write(inventory);
  if (to === "netbox-csv") await writeExportFolder(files, output);
  else for (const { text } of files) await writeLines(output, [text]);
  log.note(`${inventory.racks.length} racks, ${inventory.devices.length} devices, ${inventory.cables.length} cables`);
}

async function writeExportFolder(files: readonly ExportFile[], folder: string | undefined): Promise<void> {
  if (folder === undefined) throw new UsageError("netbox-csv writes several files: expected a folder");
  createFolder(folder);
  for (const { name, text } of files) await writeLines(join(folder, name), [text]);
}
