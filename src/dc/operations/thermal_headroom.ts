import { computeThermalHeadroom as compareHeat } from "#dc/analysis/cooling/thermal.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import type { Inventory } from "#dc/model/inventory.ts";
import { codeKey } from "#dc/model/ref.ts";
import type { Crac, Rack } from "#dc/model/resources.ts";
import type { FloorPositions } from "#dc/render/thermal/heat_map.ts";
import type { ThermalPicture } from "#dc/render/thermal/thermal.ts";
import {
  DatacenterService,
  type ThermalHeadroomRequest,
  type ThermalHeadroomResponse,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  LOCATION_KINDS,
  readCount,
  readLoadBasis,
  readRef,
  requireKnownCodes,
  requireLocation,
} from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage } from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

export const thermalHeadroom = defineRead({
  method: DatacenterService.method.thermalHeadroom,
  effect: "read",
  run: (session, request) =>
    replyWithPicture(session, {
      screen: "THERMAL",
      requestedOptions: request.render,
      async computeReply() {
        const topology = await session.topology();
        const reply = answerThermalHeadroom(topology, request);
        return { reply, picture: () => addPictureLocations(topology.inventory, reply) };
      },
    }),
});

/** Maximum reserve in a request. Our choice: more units than any zone has. */
const MAX_RESERVE = 100;

/**
 * Computes the reply of ThermalHeadroom without its picture. @throws Refusal for an invalid or unknown location or unit
 */
export function answerThermalHeadroom(topology: Topology, request: ThermalHeadroomRequest): ThermalHeadroomResponse {
  const scope = readRef("scope_ref", request.scopeRef, LOCATION_KINDS);
  const basis = readLoadBasis(request.loadBasis);
  const units = new Set(topology.inventory.cracs.map(({ code }) => codeKey(code)));
  const named = { field: "failed_crac_codes", kind: "crac", noun: "cooling unit" } as const;
  requireKnownCodes(request.failedCracCodes, named, (code) => units.has(codeKey(code)));
  requireLocation(topology, scope, { field: "scope_ref", value: request.scopeRef });
  const answer = compareHeat(topology, scope, {
    basis,
    reserveUnits: readCount("reserve_units", request.reserveUnits ?? 1, { usual: 0, most: MAX_RESERVE }),
    failedCracCodes: request.failedCracCodes,
  });
  return convertToMessage(ThermalHeadroomResponseSchema, {
    ...answer,
    scopeRef: request.scopeRef,
    cracs: answer.cracs.map(({ crac, ...share }) => ({ ...share, code: crac.code, status: crac.status })),
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
