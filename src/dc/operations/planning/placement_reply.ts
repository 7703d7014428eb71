import { create } from "@bufbuild/protobuf";
import { listPlacementNotices } from "#dc/analysis/placement/announced.ts";
import { computePlaceFigures, type PlaceFigures } from "#dc/analysis/placement/figures.ts";
import type { Placement, RefusedRack, SelectedPlace } from "#dc/analysis/placement/find_places.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { MAX_PLACEMENT_EXAMPLES } from "#dc/limits.ts";
import { formatPortReference, orderCableEnds } from "#dc/model/ref.ts";
import type { Cable, Device } from "#dc/model/resources.ts";
import { CableSchema, DeviceSchema, FindingSchema } from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  DevicePlaceSchema,
  type FindPlacementResponse,
  FindPlacementResponseSchema,
  PlacementRefusalSchema,
} from "#gen/datacenter/v1/placement_pb.ts";
import { convertToMessage } from "../messages/convert.ts";
import type { ReadSession } from "../rpc.ts";
import type { PlacementQuestion } from "./placement_request.ts";

interface ReplyInput {
  readonly question: PlacementQuestion;
  readonly placement: Placement;
  readonly revision: number;
  readonly withItems: boolean;
}

export async function createPlacementReply(
  { question, placement, revision, withItems }: ReplyInput,
  { scheduler }: Pick<ReadSession, "scheduler">,
): Promise<FindPlacementResponse> {
  const { state, places, refused, fits, limits } = placement;
  const { request, candidates, topology } = state;
  const most = question.maxPlaces === 0 ? places.length : Math.min(question.maxPlaces, places.length);
  const codes = generateDeviceCodes(topology, question.codePrefix, most);
  const announced = await scheduler.run(listPlacementNotices(placement));
  const shown = [];
  for (const [at, place] of places.slice(0, most).entries()) {
    await scheduler.yieldIfDue();
    const code = codes[at] ?? "";
    const items = buildPlacementItems(place, { question, placement, code });
    shown.push(
      convertToMessage(DevicePlaceSchema, {
        ...createPlacementFields(place, items),
        rank: at + 1,
        deviceCode: code,
        after: roundFigures(computePlaceFigures(place, request)),
        location: place.candidate.rack.location,
        face: request.face,
      }),
    );
    const last = shown.at(-1);
    if (!withItems || last === undefined) continue;
    last.device = convertToMessage(DeviceSchema, items.device);
    last.cables = items.cables.map((cable) => convertToMessage(CableSchema, cable));
  }
  const placedIn = countCodes(places.map(({ candidate }) => candidate.rack.code));
  return create(FindPlacementResponseSchema, {
    requested: request.count,
    placed: places.length,
    proven: placement.proven,
    places: shown,
    omittedPlaces: places.length - most,
    refusals: groupObstacles(refused),
    limits: groupObstacles(limits),
    announced: announced.map((notice) => convertToMessage(FindingSchema, notice)),
    racksInScope: candidates.length,
    racksRefused: refused.length,
    racksUsed: placedIn.size,
    revision,
    racks: candidates.flatMap(({ rack: { code } }, at) => {
      const own = fits[at] ?? 0;
      return own < 1 ? [] : [{ rackCode: code, fits: own, placed: placedIn.get(code) ?? 0 }];
    }),
  });
}

interface PlacementItems {
  readonly device: Device;
  readonly cables: readonly Cable[];
  readonly inlets: readonly object[];
  readonly ports: readonly object[];
}

/** Builds the device and the cables of one placement, as inventory items and as fields of the reply. */
function buildPlacementItems(
  { candidate, allocation }: SelectedPlace,
  {
    question,
    placement,
    code,
  }: { readonly question: PlacementQuestion; readonly placement: Placement; readonly code: string },
): PlacementItems {
  const { request } = placement.state;
  const sources = new Map(
    allocation.plugs.map(({ side: { tap }, inlet, outlet }) => [
      inlet,
      outlet === undefined
        ? `device:${tap.device.code}`
        : formatPortReference({ deviceCode: tap.device.code, portName: outlet.name }),
    ]),
  );
  const device: Device = {
    ...request.template,
    code,
    rackCode: candidate.rack.code,
    positionU: allocation.position,
    ports: (request.template.ports ?? []).map((port) => {
      const sourceRef = port.kind === "POWER_IN" ? sources.get(port.name) : undefined;
      return sourceRef === undefined ? port : { ...port, powerIn: { ...port.powerIn, sourceRef } };
    }),
  };
  const ends = allocation.ports.map((port, at) => ({ ...port, own: question.portNames[at] ?? "" }));
  return {
    device,
    cables: ends.map(({ own, device: { code: other }, port }) => {
      const [a, b] = orderCableEnds({ deviceCode: code, portName: own }, { deviceCode: other, portName: port.name });
      return { a, b };
    }),
    inlets: allocation.plugs.map(({ side: { tap }, inlet, outlet }) => ({
      inlet,
      sourceRef: sources.get(inlet),
      side: [...tap.labels].join(", "),
      leg: outlet?.leg,
      phase: outlet?.port.powerOut?.phase,
    })),
    ports: ends.map(({ own, device: { code: switchCode }, port: { name, type, speedMbps } }) => ({
      port: own,
      switchCode,
      switchPort: name,
      type,
      speedMbps,
    })),
  };
}

function createPlacementFields({ candidate, allocation }: SelectedPlace, { inlets, ports }: PlacementItems) {
  return { rackCode: candidate.rack.code, positionU: allocation.position, inlets, ports };
}

function generateDeviceCodes(topology: Topology, prefix: string, count: number): readonly string[] {
  const codes: string[] = [];
  for (let number = 1; codes.length < count; number += 1) {
    const code = `${prefix}-${number}`;
    if (topology.device(code) === undefined) codes.push(code);
  }
  return codes;
}

/** Groups obstacles by reason, the most frequent first. */
function groupObstacles(refused: readonly RefusedRack[]) {
  const byReason = new Map<string, { readonly codes: Set<string>; readonly first: RefusedRack["obstacles"][number] }>();
  for (const { candidate, obstacles } of refused) {
    for (const obstacle of obstacles) {
      const known = byReason.getOrInsertComputed(obstacle.reason, () => ({ codes: new Set(), first: obstacle }));
      known.codes.add(candidate.rack.code);
    }
  }
  return [...byReason.values()]
    .toSorted((a, b) => b.codes.size - a.codes.size)
    .map(({ codes, first }) =>
      convertToMessage(PlacementRefusalSchema, {
        ...first,
        racks: codes.size,
        examples: [...codes].slice(0, MAX_PLACEMENT_EXAMPLES),
      }),
    );
}

/** Rounds figures to two decimal places. */
function roundFigures(figures: PlaceFigures): object {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      typeof value === "number" ? Math.round(value * 100) / 100 : value,
    ]),
  );
}

function countCodes(codes: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const code of codes) found.set(code, (found.get(code) ?? 0) + 1);
  return found;
}
