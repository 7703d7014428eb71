import { create, toJson } from "@bufbuild/protobuf";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { openService } from "#dc/open_service.ts";
import { getCapacity } from "#dc/operations/planning/get_capacity.ts";
import type { DcService } from "#dc/service.ts";
import {
  type AreaCapacity,
  AreaKind,
  GetCapacityRequestSchema,
  type GetCapacityResponse,
  GetCapacityResponseSchema,
} from "#gen/datacenter/v1/capacity_pb.ts";
import { LoadBasis } from "#gen/datacenter/v1/datacenter_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { tenths } from "#words/figures.ts";
import { refName } from "#words/names.ts";
import { print, printJson } from "../output/print.ts";
import type { StderrLogger } from "../output/stderr_logger.ts";
import { type Column, renderTable } from "../output/table.ts";
import { outputWidth } from "../output/terminal.ts";
import type { Database } from "./database.ts";
import { enumName } from "./enum_word.ts";

/** What a person asks for; undefined for the defaults of the service. */
export interface CapacityCall {
  readonly scope: string | undefined;
  readonly by: "site" | "floor" | "room" | "row" | "zone" | "rack" | undefined;
  readonly basis: "allocated" | "measured" | "max" | undefined;
  readonly json: boolean;
}

const COLUMNS: readonly Column<AreaCapacity>[] = [
  { title: "AREA", text: ({ ref }) => refName(ref) },
  { title: "DRAW", text: ({ drawKw }) => tenths(drawKw, "-"), align: "right" },
  {
    title: "FREE kW",
    text: ({ power }) => tenths(power?.freeKw, "-"),
    align: "right",
    style: (area) => color(area.power?.freeKw),
  },
  {
    title: "AFTER",
    text: ({ power }) => tenths(power?.failoverFreeKw, "-"),
    align: "right",
    style: (area) => color(area.power?.failoverFreeKw),
  },
  { title: "AIR kW", text: ({ air }) => tenths(air?.freeKw, "-"), align: "right" },
  {
    title: "AFTER",
    text: ({ air }) => tenths(air?.failoverFreeKw, "-"),
    align: "right",
    style: (area) => color(area.air?.failoverFreeKw),
  },
  { title: "FREE U", text: ({ freeU, totalU }) => `${freeU}/${totalU}`, align: "right" },
  { title: "BLOCK", text: ({ largestFreeBlockU }) => String(largestFreeBlockU), align: "right" },
  { title: "PORTS", text: ({ ports }) => String(ports.reduce((sum, { free }) => sum + free, 0)), align: "right" },
  { title: "WORST FAILURE", text: ({ power, air }) => failures(power?.failureRef, air?.failureRef), shrinks: true },
];

/** Prints the free capacity of areas. */
export async function printCapacity(database: Database, call: CapacityCall, log: StderrLogger): Promise<void> {
  if (!database.exists()) throw new OperationError("not_found", `There is no database "${database.shown}"`);
  const store = await database.open();
  let reply: GetCapacityResponse;
  try {
    reply = await readAll(await openService(store, { clock: { now: () => new Date() }, authRequired: false }), call);
  } finally {
    await store.close();
  }
  if (call.json) {
    printJson(toJson(GetCapacityResponseSchema, reply, { useProtoFieldName: true }));
    return;
  }
  print(renderTable(reply.areas, COLUMNS, outputWidth()));
  log.note(
    "AFTER is what the worst single failure leaves; WORST FAILURE is that of power, then of air. - is not recorded",
  );
}

/** All pages as one reply. */
async function readAll(service: DcService, { scope = "", by, basis }: CapacityCall): Promise<GetCapacityResponse> {
  let whole: GetCapacityResponse | undefined;
  for (let pageToken = ""; ; ) {
    const request = create(GetCapacityRequestSchema, {
      scopeRef: scope,
      by: by === undefined ? AreaKind.UNSPECIFIED : AreaKind[enumName(by)],
      loadBasis: basis === undefined ? LoadBasis.UNSPECIFIED : LoadBasis[enumName(basis)],
      pageSize: MAX_PAGE_SIZE,
      pageToken,
    });
    const page = (await service.call(getCapacity, request, { interface: "SYSTEM" })) as GetCapacityResponse;
    if (whole === undefined) whole = page;
    else whole.areas.push(...page.areas);
    pageToken = page.nextPageToken;
    if (pageToken === "") {
      whole.nextPageToken = "";
      return whole;
    }
  }
}

/** Nothing left is red. */
function color(value: number | undefined): "red" | undefined {
  return value !== undefined && value <= 0 ? "red" : undefined;
}

function failures(...refs: readonly (string | undefined)[]): string {
  const found = refs.flatMap((ref) => (ref === undefined || ref === "" ? [] : [ref]));
  return found.length === 0 ? "-" : [...new Set(found)].map(refName).join(", ");
}
