import { parseRef, REF_GRAMMAR, type Ref } from "#dc/model/ref.ts";
import type { DcService } from "#dc/service.ts";
import type { InventoryKind, InventoryRow } from "#gen/datacenter/v1/planning_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { getColumnLabel, LIST_KINDS, type ListKind } from "#web/console/lists/list_kinds.ts";
import { capitalize, getKindNoun, getRefName } from "#words/names.ts";
import { getOutputWidth, paint, print, printJson, sanitizeLine } from "../output/print.ts";
import { measureTextWidth, wrapWords } from "../output/wrap_text.ts";
import type { DatabaseLocation } from "./database.ts";
import { formatCell, formatRows, readInventoryRows, requireListKind } from "./list_inventory.ts";
import { resolveRef } from "./resolve_ref.ts";
import { withService } from "./with_service.ts";

/** Prints one resource and its contents. */
export async function printResource(
  database: DatabaseLocation,
  { ref: text, code, json }: { readonly ref: string; readonly code: string | undefined; readonly json: boolean },
): Promise<void> {
  const kinds = code === undefined ? [] : [requireListKind(text).kind as keyof typeof InventoryKind];
  await withService(database, async (service) => {
    const ref = await resolveRef(service, code ?? text, kinds);
    const { row, columns } = await readInventoryRow(service, ref);
    const contents = await readContents(service, row);
    if (json) {
      const convertRowToJson = ({ ref, name, texts, figures }: InventoryRow) => ({ ref, name, ...texts, ...figures });
      return printJson({
        ...convertRowToJson(row),
        ...(contents && { [contents.list.page]: contents.rows.map(convertRowToJson) }),
      });
    }
    print(formatFacts(row, columns));
    if (contents !== undefined && contents.rows.length > 0) {
      print(`\n${paint(contents.list.title, "bold")}\n${formatRows(contents.rows, contents.columns)}`);
    }
  });
}

/** Kinds of references to resources that have a list. */
const SHOWN_KINDS: readonly Ref["kind"][] = [
  ...(["site", "floor", "room", "row", "rack", "device", "port"] as const),
  ...(["cable", "crac", "feed", "fabric", "fabric_link", "device_type"] as const),
];

async function readInventoryRow(service: DcService, text: string) {
  const ref = parseRef(text);
  const kind = ref?.kind === "feed" ? "SUPPLY" : ref?.kind.toUpperCase();
  const list = LIST_KINDS.find((one) => one.kind === kind);
  if (list === undefined) {
    const expected = SHOWN_KINDS.map((one) => REF_GRAMMAR[one]);
    throw new OperationError("invalid_argument", `Cannot show "${text}": expected ${expected.join(", ")}, or a code`);
  }
  const words = getRefName(text).split(/[/~]/);
  const { rows, columns } = await readInventoryRows(service, list, {
    words,
    where: [],
    sort: undefined,
    limit: undefined,
  });
  const row = rows.find((one) => one.ref.toLowerCase() === text.toLowerCase());
  if (row === undefined) throw new OperationError("not_found", `Cannot find ${list.singular} "${text}"`);
  return { row, columns };
}

interface ResourceContents {
  readonly list: ListKind;
  readonly columns: readonly string[];
  readonly rows: readonly InventoryRow[];
}

/** Lists of a resource's contents by the resource's kind, each with the condition that selects the contents. */
const CONTENTS_BY_KIND: Readonly<
  Record<string, readonly [kind: string, where: (row: InventoryRow) => readonly string[]]>
> = {
  rack: ["DEVICE", ({ name }) => [`rack=${name}`]],
  device: ["PORT", ({ name }) => [`device=${name}`]],
  feed: ["DEVICE", ({ ref }) => [`fed_by=${ref}`]],
  fabric: ["FABRIC_LINK", ({ name }) => [`fabric=${name}`]],
  site: ["ROOM", ({ name }) => [`site=${name}`]],
  room: ["RACK", createLocationConditions],
  row: ["RACK", createLocationConditions],
};

/** Converts a location such as `room:AMS1/1/DH1` to conditions on the location columns of racks. */
function createLocationConditions({ ref }: InventoryRow): readonly string[] {
  const [kind = "", id = ""] = ref.split(":");
  const [site, floor, name] = id.split("/");
  return [`site=${site}`, `floor=${floor}`, `${kind}=${name}`];
}

async function readContents(service: DcService, row: InventoryRow): Promise<ResourceContents | undefined> {
  const [kind, where] = CONTENTS_BY_KIND[row.ref.slice(0, row.ref.indexOf(":"))] ?? [];
  const list = LIST_KINDS.find((one) => one.kind === kind);
  if (list === undefined || where === undefined) return undefined;
  const sort = list.kind === "DEVICE" && row.ref.startsWith("rack:") ? "position_u desc" : undefined;
  const { rows } = await readInventoryRows(service, list, { words: [], where: where(row), sort, limit: undefined });
  // Location columns are omitted, because every row is located in the resource itself.
  const columns = list.columns.filter(
    (column) => !["rack", "device", "fabric", "site", "room", "row"].includes(column),
  );
  return { list, columns, rows };
}

/** Formats kind and name, then one line per recorded value. */
export function formatFacts(row: InventoryRow, columns: readonly string[], width = getOutputWidth()): string {
  const facts = columns.flatMap((column) => {
    const text = formatCell(row, column);
    return text === "" ? [] : [[getColumnLabel(column), sanitizeLine(text)] as const];
  });
  const names = facts.reduce((most, [name]) => Math.max(most, measureTextWidth(name)), 0);
  const room = (width ?? Number.POSITIVE_INFINITY) - names - 2;
  const lines = facts.flatMap(([name, text]) =>
    wrapWords(text, room).map((line, at) => `${paint((at === 0 ? name : "").padEnd(names), "dim")}  ${line}`),
  );
  const kind = row.ref.slice(0, row.ref.indexOf(":"));
  return `${[paint(sanitizeLine(`${capitalize(getKindNoun(kind))} ${getRefName(row.ref)}`), "bold"), ...lines].join("\n")}\n`;
}
