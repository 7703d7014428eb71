import { fromJson, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { findPlacement } from "#dc/operations/planning/find_placement.ts";
import { CableSchema, DeviceSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  type DevicePlace,
  FindPlacementRequestSchema,
  type FindPlacementResponse,
  FindPlacementResponseSchema,
  type PlaceFigures,
  PlaceFiguresSchema,
  type PlacementRefusal,
} from "#gen/datacenter/v1/placement_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { describeReason, describeRefusal } from "#web/console/reason_words.ts";
import { formatTenths } from "#words/figures.ts";
import { formatCountWithNoun, stripRefKinds } from "#words/names.ts";
import { EXIT_STATUS, type ExitStatus } from "../exit_status.ts";
import { getOutputWidth, print } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, printTable, renderTable } from "../output/table.ts";
import { writeFile } from "../output/write_file.ts";
import type { RequestFields } from "./asked_flags.ts";
import { formatCsv } from "./csv_columns.ts";
import type { DatabaseLocation } from "./database.ts";
import { type RenderPictureOptions, renderPicture } from "./render.ts";
import { resolveRef, SCOPE_KINDS } from "./resolve_ref.ts";
import { printReplyJson, SYSTEM_CALLER, withService } from "./with_service.ts";

/** Options of `planner dc place`. */
interface PlacementOptions {
  readonly scope: string | undefined;
  readonly request: RequestFields;
  readonly limit: number | undefined;
  readonly json: boolean;
  readonly csv: boolean;
  /** Absolute path for the import file; undefined to write none. */
  readonly applyFile: string | undefined;
  readonly picture: string | undefined;
  readonly theme: RenderPictureOptions["theme"];
}

const PLACE_COLUMNS: readonly Column<DevicePlace>[] = [
  { title: "#", text: ({ rank }) => String(rank), align: "right" },
  { title: "RACK", text: ({ rackCode }) => rackCode },
  { title: "UNIT", text: ({ positionU }) => String(positionU), align: "right" },
  { title: "SUPPLIES", text: formatSupplies, shrinks: true },
  { title: "PORTS", text: ({ ports }) => ports.map(formatPort).join(", "), shrinks: true },
  { title: "NOW", text: ({ after }) => formatPercent(after?.powerNowPct), align: "right" },
  { title: "1 FAILED", text: ({ after }) => formatPercent(after?.powerFailoverPct), align: "right" },
  { title: "RACK W", text: ({ after }) => String(after?.rackDrawW ?? 0), align: "right" },
  { title: "AIR KW", text: ({ after }) => formatTenths(after?.airHeadroomKw), align: "right" },
  { title: "FREE U", text: ({ after }) => String(after?.freeU ?? 0), align: "right" },
];

const REFUSAL_COLUMNS: readonly Column<PlacementRefusal>[] = [
  { title: "REASON", text: ({ reason }) => describeRefusal(reason) },
  { title: "RACKS", text: ({ racks }) => String(racks), align: "right" },
  { title: "EXAMPLES", text: ({ examples }) => examples.join(", "), shrinks: true },
];

const formatFirstRefusal = ({ message }: PlacementRefusal) => stripRefKinds(message);

/** Prints positions where devices fit. Returns the status of a rejection if fewer positions exist than requested. */
export async function printPlaces(
  database: DatabaseLocation,
  call: PlacementOptions,
  log: StderrLogger,
): Promise<ExitStatus> {
  const reply = await withService(database, async (service) => {
    const asked = fromJson(FindPlacementRequestSchema, {
      ...call.request,
      scope_ref: await resolveRef(service, call.scope ?? "", SCOPE_KINDS),
      include_items: call.json || call.applyFile !== undefined,
    });
    return (await service.call(findPlacement, asked, SYSTEM_CALLER)) as FindPlacementResponse;
  });
  printPlacementReply(reply, call, log);
  if (call.applyFile !== undefined) writeFile(call.applyFile, formatImportLines(reply));
  if (call.picture !== undefined) await drawFloor(database, reply, { output: call.picture, theme: call.theme }, log);
  return reply.placed < reply.requested ? EXIT_STATUS.refused : EXIT_STATUS.ok;
}

function printPlacementReply(
  reply: FindPlacementResponse,
  { json, csv, limit }: PlacementOptions,
  log: StderrLogger,
): void {
  const places = reply.places.slice(0, limit);
  if (json) {
    const omitted = reply.omittedPlaces + reply.places.length - places.length;
    const shown = { ...reply, places, omittedPlaces: omitted };
    printReplyJson(FindPlacementResponseSchema, shown);
    return;
  }
  if (csv) {
    print(formatCsv(PLACE_CSV_COLUMNS, places));
    return;
  }
  printTable(places, PLACE_COLUMNS);
  if (places.length < reply.placed) log.note(`${reply.placed - places.length} more places are not printed`);
  log.note(formatSummary(reply));
  for (const { code, message } of reply.announced) log.note(`${describeReason(code)}: ${message}`);
  for (const [title, list] of [
    ["Racks that take no such device:", reply.refusals],
    ["Why no further device fits:", reply.limits],
  ] as const) {
    if (list.length > 0)
      print(`\n${title}\n${renderTable(list, REFUSAL_COLUMNS, getOutputWidth(), formatFirstRefusal)}`);
  }
}

function formatSummary(reply: FindPlacementResponse): string {
  const { placed, requested, proven, racksUsed, racks, racksInScope, revision } = reply;
  const fit = `${placed} of ${requested} fit`;
  const found = placed === requested ? fit : proven ? `${fit}, no more` : `at least ${fit}`;
  return `${found}, in ${formatCountWithNoun(racksUsed, "rack")}; ${racks.length} of ${formatCountWithNoun(racksInScope, "rack")} can take one; revision ${revision}`;
}

/** Figures that CSV output omits. */
const OMITTED_CSV_FIELDS = ["power_now_ref", "power_failover_ref", "largest_free_block_u", "weight_pct"];

type PlaceCsvColumn = readonly [name: string, cell: (place: DevicePlace) => string | number];

const PLACE_CSV_COLUMNS: readonly PlaceCsvColumn[] = [
  ["rank", ({ rank }) => rank],
  ["rack_code", ({ rackCode }) => rackCode],
  ["position_u", ({ positionU }) => positionU],
  ["device_code", ({ deviceCode }) => deviceCode],
  ["inlets", ({ inlets }) => inlets.map(({ inlet, sourceRef }) => `${inlet}=${sourceRef}`).join(" ")],
  ["ports", ({ ports }) => ports.map((one) => `${one.port}=port:${formatPort(one)}`).join(" ")],
  ...PlaceFiguresSchema.fields
    .filter(({ name }) => !OMITTED_CSV_FIELDS.includes(name))
    .map(({ name, localName }): PlaceCsvColumn => [name, ({ after }) => after?.[localName as keyof CsvFigures] ?? ""]),
];

type CsvFigures = Omit<PlaceFigures, keyof Message>;

/** Formats JSON Lines for an import, devices before cables, because a cable requires its ports. */
function formatImportLines({ places }: FindPlacementResponse): string {
  const options = { useProtoFieldName: true };
  const lines: Readonly<Record<string, JsonValue>>[] = [];
  for (const { device } of places)
    if (device !== undefined) lines.push({ device: toJson(DeviceSchema, device, options) });
  for (const cable of places.flatMap(({ cables }) => cables))
    lines.push({ cable: toJson(CableSchema, cable, options) });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Draws the floor of the first position, and highlights the racks of all positions. */
async function drawFloor(
  database: DatabaseLocation,
  reply: FindPlacementResponse,
  drawn: { readonly output: string; readonly theme: RenderPictureOptions["theme"] },
  log: StderrLogger,
): Promise<void> {
  const [first] = reply.places;
  const { siteId, floorNumber } = first?.location ?? {};
  if (siteId === undefined) throw new OperationError("not_found", "No device fits: there is nothing to draw");
  const highlight = [...new Set(reply.places.map(({ rackCode }) => `rack:${rackCode}`))];
  const subject = { screen: "floor", ref: `floor:${siteId}/${floorNumber}` } as const;
  await renderPicture(database, { ...subject, ...drawn, highlight, failure: { cascade: true } }, log);
}

/** Suffixes of a supply for its phases, indexed by the number of the leg. */
const PHASE_SUFFIXES = ["", " A", " B", " C", " AB", " BC", " CA"];

function formatSupplies({ inlets }: DevicePlace): string {
  const format = ({ sourceRef, leg }: DevicePlace["inlets"][number]) =>
    `${sourceRef.replace(/^(?:port|device):/, "")}${PHASE_SUFFIXES[leg] ?? ""}`;
  return inlets.map(format).join(", ");
}

function formatPort({ switchCode, switchPort }: DevicePlace["ports"][number]): string {
  return `${switchCode}/${switchPort}`;
}

function formatPercent(value: number | undefined): string {
  return value === undefined ? "" : `${formatTenths(value)} %`;
}
