import { fromJson } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { getCapacity } from "#dc/operations/planning/get_capacity.ts";
import { readPages } from "#dc/read_pages.ts";
import {
  type AreaCapacity,
  GetCapacityRequestSchema,
  type GetCapacityResponse,
  GetCapacityResponseSchema,
} from "#gen/datacenter/v1/capacity_pb.ts";
import { PortKind } from "#gen/datacenter/v1/datacenter_pb.ts";
import { getKnownCooling } from "#words/capacity_figures.ts";
import { formatKilowatts, formatTenths, isSumUnknown } from "#words/figures.ts";
import { describeBestArea, formatCountWithNoun, getRefName, listFreePorts } from "#words/names.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, printTable } from "../output/table.ts";
import type { RequestFields } from "./asked_flags.ts";
import type { DatabaseLocation } from "./database.ts";
import { printReplyJson, withService } from "./with_service.ts";

const CAPACITY_COLUMNS: readonly Column<AreaCapacity>[] = [
  { title: "AREA", text: ({ ref }) => getRefName(ref) },
  { title: "DRAW", text: formatDraw, align: "right" },
  {
    title: "FREE kW",
    text: ({ power }) => formatTenths(power?.freeKw, "-"),
    align: "right",
    style: (area) => chooseHeadroomColor(area.power?.freeKw),
  },
  {
    title: "AFTER",
    text: ({ power }) => formatTenths(power?.failoverFreeKw, "-"),
    align: "right",
    style: (area) => chooseHeadroomColor(area.power?.failoverFreeKw),
  },
  { title: "AIR kW", text: ({ air }) => formatTenths(getKnownCooling(air)?.freeKw, "-"), align: "right" },
  {
    title: "AFTER",
    text: ({ air }) => formatTenths(getKnownCooling(air)?.failoverFreeKw, "-"),
    align: "right",
    style: (area) => chooseHeadroomColor(getKnownCooling(area.air)?.failoverFreeKw),
  },
  { title: "FREE U", text: ({ freeU, totalU }) => `${freeU}/${totalU}`, align: "right" },
  { title: "BLOCK", text: ({ largestFreeBlockU }) => String(largestFreeBlockU), align: "right" },
  { title: "PORTS", text: formatPorts },
  {
    title: "WORST FAILURE",
    text: ({ power, air }) => formatFailures(power?.failureRef, air?.failureRef),
    shrinks: true,
  },
];

export async function printCapacity(
  database: DatabaseLocation,
  call: { readonly request: RequestFields; readonly json: boolean },
  log: StderrLogger,
): Promise<void> {
  const init = fromJson(GetCapacityRequestSchema, { ...call.request, page_size: MAX_PAGE_SIZE });
  const getAreas = (page: GetCapacityResponse) => page.areas;
  const reply = await withService(database, (service) =>
    readPages(service, getCapacity, { schema: GetCapacityRequestSchema, init }, getAreas),
  );
  if (call.json) {
    printReplyJson(GetCapacityResponseSchema, reply);
    return;
  }
  printTable(reply.areas, CAPACITY_COLUMNS);
  for (const area of reply.areas) {
    noteTotals(area, "AIR kW and its AFTER are totals", area.air, log);
    noteTotals(area, "liquid cooling", area.liquid, log);
  }
  const without = reply.areas.filter(({ devicesWithoutDraw }) => devicesWithoutDraw > 0);
  for (const { ref, devicesWithoutDraw } of without)
    log.note(`${getRefName(ref)}: the draw of ${formatCountWithNoun(devicesWithoutDraw, "device")} is not recorded`);
  log.note(
    "AFTER is what the worst single failure leaves; WORST FAILURE is that of power, then of air; PORTS names the type with most free ports and counts the other types. - is not recorded",
  );
}

/** Names the best of the areas over which a figure of cooling is a total, and those that are short. */
function noteTotals({ ref }: AreaCapacity, what: string, free: AreaCapacity["air"], log: StderrLogger): void {
  if (free === undefined || free.bestRef === "") return;
  const { bestRef, bestFailoverFreeKw, shortRefs, omittedShortRefs } = free;
  const best = `${formatKilowatts(bestFailoverFreeKw)} ${describeBestArea(bestRef, shortRefs, omittedShortRefs)}`;
  log.note(`${getRefName(ref)}: ${what}; one failure leaves ${best}`);
}

/** Returns an area's draw; "-" if no draw in it is recorded. */
function formatDraw({ drawKw, devicesWithoutDraw }: AreaCapacity): string {
  return isSumUnknown(drawKw, devicesWithoutDraw) ? "-" : formatKilowatts(drawKw);
}

/** Names the type of which most ports are free, and counts the other types with free ports. */
function formatPorts({ ports }: AreaCapacity): string {
  return listFreePorts(
    ports.map(({ kind, type, free }) => ({ isOutlet: kind === PortKind.POWER_OUT, type, free })),
    1,
  );
}

/** Returns red for a value of 0 or less, undefined for any other value. */
function chooseHeadroomColor(value: number | undefined): "red" | undefined {
  return value !== undefined && value <= 0 ? "red" : undefined;
}

function formatFailures(...refs: readonly (string | undefined)[]): string {
  const found = refs.flatMap((ref) => (ref === undefined || ref === "" ? [] : [ref]));
  return found.length === 0 ? "-" : [...new Set(found)].map(getRefName).join(", ");
}
