import { join } from "node:path";
import type { ExportFile, ExportInventory } from "#dc/exchange/out/inventory.ts";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { resourceKey } from "#dc/model/resource_key.ts";
import type { ResourceByKind, ResourceKind } from "#dc/model/resources.ts";
import type { DcReader } from "#dc/ports.ts";
import type { StderrLogger } from "../../output/stderr_logger.ts";
import { makeFolder } from "../../output/write_file.ts";
import { usageError } from "../../usage_error.ts";
import { type Database, demandDatabase } from "../database.ts";
import { writeLines } from "../line_output.ts";
import { pages } from "./known_resources.ts";

/** Programs whose files are written, with how. */
const TARGETS = {
  "netbox-csv": async (inventory: ExportInventory) =>
    (await import("#dc/exchange/out/netbox_csv.ts")).netboxCsv(inventory),
  graphviz: async (inventory: ExportInventory) => (await import("#dc/exchange/out/graphviz.ts")).graphviz(inventory),
  "prometheus-sd": async (inventory: ExportInventory) =>
    (await import("#dc/exchange/out/prometheus_sd.ts")).prometheusSd(inventory),
  ansible: async (inventory: ExportInventory) =>
    (await import("#dc/exchange/out/ansible.ts")).ansibleInventory(inventory),
} as const satisfies Readonly<Record<string, (inventory: ExportInventory) => Promise<readonly ExportFile[]>>>;

export type ExportTarget = keyof typeof TARGETS;

/** Writes the inventory for another program: one file or standard output, or a folder if there are several files. */
export async function exportTo(
  database: Database,
  { to, output }: { readonly to: ExportTarget; readonly output: string | undefined },
  log: StderrLogger,
): Promise<void> {
  demandDatabase(database);
  const store = await database.open();
  try {
    const inventory = await store.read(async (reader) => ({
      racks: await all(reader, "rack"),
      devices: await all(reader, "device"),
      cables: await all(reader, "cable"),
    }));
    const files = await TARGETS[to](inventory);
    if (to === "netbox-csv") await writeFolder(files, output);
    else for (const { text } of files) await writeLines(output, [text]);
    log.note(`${inventory.racks.length} racks, ${inventory.devices.length} devices, ${inventory.cables.length} cables`);
  } finally {
    await store.close();
  }
}

async function writeFolder(files: readonly ExportFile[], folder: string | undefined): Promise<void> {
  if (folder === undefined) throw usageError("dc export", "netbox-csv writes several files: expected a folder");
  makeFolder(folder);
  for (const { name, text } of files) await writeLines(join(folder, name), [text]);
}

async function all<Kind extends ResourceKind>(reader: DcReader, kind: Kind): Promise<readonly ResourceByKind[Kind][]> {
  const found: ResourceByKind[Kind][] = [];
  for await (const one of pages((after) => reader.page(kind, after, MAX_PAGE_SIZE), resourceKey)) found.push(one);
  return found;
}
