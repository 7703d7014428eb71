import { thermalHeadroom } from "#dc/analysis/cooling/thermal.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { codeKey } from "#dc/model/code.ts";
import { refuse } from "#dc/model/refusal.ts";
import {
  type ThermalHeadroomRequest,
  type ThermalHeadroomResponse,
  ThermalHeadroomResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { toMessage } from "../messages/convert.ts";
import { demandPlace, readBasis, readCode, readCount, readRef } from "./parameters.ts";

/** Maximum reserve in a request. Our choice: more units than any zone has. */
const MAX_RESERVE = 100;

/** The structured answer of ThermalHeadroom; the screen adds its picture. @throws Refusal for a malformed scope */
export function thermalHeadroomAnswer(topology: Topology, request: ThermalHeadroomRequest): ThermalHeadroomResponse {
  const scope = readRef("scope_ref", request.scopeRef, ["site", "floor", "room", "row", "zone", "rack"]);
  const basis = readBasis(request.loadBasis);
  demandCracs(topology, request.failedCracCodes);
  demandPlace(topology, scope, { field: "scope_ref", value: request.scopeRef });
  const answer = thermalHeadroom(topology, scope, {
    basis,
    reserveUnits: request.reserveUnits === undefined ? 1 : reserve(request.reserveUnits),
    failedCracCodes: request.failedCracCodes,
  });
  return toMessage(ThermalHeadroomResponseSchema, {
    ...answer,
    scopeRef: request.scopeRef,
    cracs: answer.cracs.map(({ crac, ...share }) => ({ ...share, code: crac.code, status: crac.status })),
  });
}

function reserve(asked: number): number {
  return readCount("reserve_units", asked, { usual: 0, most: MAX_RESERVE });
}

function demandCracs({ inventory }: Topology, codes: readonly string[]): void {
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
