import { computeThermalHeadroom as compareHeat } from "#dc/analysis/cooling/thermal.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Crac, Rack } from "#dc/model/resources.ts";
import type { FloorPositions } from "#dc/render/thermal/heat_map.ts";
import type { ThermalPicture } from "#dc/render/thermal/thermal.ts";
import {
  DatacenterService,
  type ThermalHeadroomRequest,
  type ThermalHeadroomResponse,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode, readCount, readLoadBasis, readRef, requireLocation } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage } from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

export const thermalHeadroom = defineRead({
  method: DatacenterService.method.thermalHeadroom,
  effect: "read",
  run: ({ context, scheduler, topology }, request) =>
    replyWithPicture(
      { context, scheduler },
      {
        screen: "THERMAL",
        requestedOptions: request.render,
        async computeReply() {
          const known = await topology();
          const reply = answerThermalHeadroom(known, request);
          return { reply, picture: () => addPictureLocations(known.inventory, reply) };
        },
      },
    ),
});

/** Maximum reserve in a request. Our choice: more units than any zone has. */
const MAX_RESERVE = 100;

/**
 * Computes the reply of ThermalHeadroom without its picture. @throws Refusal for an invalid or unknown location or unit
 */
export function answerThermalHeadroom(topology: Topology, request: ThermalHeadroomRequest): ThermalHeadroomResponse {
  const scope = readRef("scope_ref", request.scopeRef, ["site", "floor", "room", "row", "zone", "rack"]);
  const basis = readLoadBasis(request.loadBasis);
  requireCracs(topology, request.failedCracCodes);
  requireLocation(topology, scope, { field: "scope_ref", value: request.scopeRef });
  const answer = compareHeat(topology, scope, {
    basis,
    reserveUnits: request.reserveUnits === undefined ? 1 : readReserveUnits(request.reserveUnits),
    failedCracCodes: request.failedCracCodes,
  });
  return convertToMessage(ThermalHeadroomResponseSchema, {
    ...answer,
    scopeRef: request.scopeRef,
    cracs: answer.cracs.map(({ crac, ...share }) => ({ ...share, code: crac.code, status: crac.status })),
  });
}

function readReserveUnits(asked: number): number {
  return readCount("reserve_units", asked, { usual: 0, most: MAX_RESERVE });
}

function requireCracs({ inventory }: Topology, codes: readonly string[]): void {
  const known = new Set(inventory.cracs.map(({ code }) => codeKey(code)));
  const index = codes.findIndex((code, at) => !known.has(codeKey(readCode(`failed_crac_codes[${at}]`, code))));
  const code = codes[index];
  if (code === undefined) return;
  throw refuse("NOT_FOUND", `Cannot find cooling unit "${code}"`, {
    field: `failed_crac_codes[${index}]`,
    value: code,
    ref: `crac:${code}`,
  });
}

/** Adds the recorded locations of racks and cooling units to a reply, for its picture. */
export function addPictureLocations({ racks, cracs }: Inventory, reply: ThermalHeadroomResponse): ThermalPicture {
  return { reply, places: mapLocationsByCode(racks, reply.racks), unitPlaces: mapLocationsByCode(cracs, reply.cracs) };
}

function mapLocationsByCode(
  all: readonly (Rack | Crac)[],
  asked: readonly { readonly code: string }[],
): FloorPositions {
  const wanted = new Set(asked.map(({ code }) => code.toLowerCase()));
  return new Map(
    all.flatMap(({ code, placement, location }) => {
      const key = code.toLowerCase();
      if (placement === undefined || location === undefined || !wanted.has(key)) return [];
      return [[key, { floor: `floor:${location.siteId}/${location.floorNumber}`, placement }] as const];
    }),
  );
}
