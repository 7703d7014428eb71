import type { FabricLink, ResourceKind } from "#dc/model/resources.ts";
import type { FloorCounts, InventoryCounts } from "#dc/ports.ts";
import { bodyOf } from "./rows.ts";
import { type SqlRunner, text } from "./sql_runner.ts";

const PLACED = ["rack", "crac", "device"] as const;

/** Counts by floor and fabric, grouped by the database if its columns suffice. Cost: one pass over five tables. */
export async function inventoryCounts(runner: SqlRunner): Promise<InventoryCounts> {
  const floors = new Map<string, FloorCounts>();
  for (const kind of PLACED) {
    const rows = await runner.all(
      `SELECT site, floor, COUNT(*) AS items, MIN(key) AS example FROM ${kind} GROUP BY site, floor ORDER BY site, floor`,
      [],
    );
    for (const row of rows) {
      const floorNumber = Number(row["floor"]);
      const key = `${text(row, "site")}/${floorNumber}`;
      const known = floors.get(key) ?? {
        siteId: await spelled(runner, kind, text(row, "example")),
        floorNumber,
        rack: 0,
        crac: 0,
        device: 0,
      };
      floors.set(key, { ...known, [kind]: Number(row["items"]) });
    }
  }
  const links = (await runner.all("SELECT body FROM fabric_link", [])).map((row) => bodyOf<FabricLink>(row));
  return {
    floors: [...floors.values()],
    links: links.map(({ fabricId }) => fabricId ?? ""),
    cables: await counted(runner, "cable"),
    ports: await counted(runner, "port"),
  };
}

/** Returns a site's spelling in its records; the columns contain keys. */
async function spelled(runner: SqlRunner, kind: (typeof PLACED)[number], key: string): Promise<string> {
  const [row] = await runner.all(`SELECT body FROM ${kind} WHERE key = ?`, [key]);
  const { location } = row === undefined ? {} : bodyOf<{ readonly location?: { readonly siteId: string } }>(row);
  return location?.siteId ?? "";
}

async function counted(runner: SqlRunner, kind: ResourceKind | "port"): Promise<number> {
  const [row] = await runner.all(`SELECT COUNT(*) AS items FROM ${kind}`, []);
  return Number(row?.["items"] ?? 0);
}
