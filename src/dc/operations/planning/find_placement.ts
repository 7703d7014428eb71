import { create } from "@bufbuild/protobuf";
import {
  CableSchema,
  DeviceSchema,
  FindingSchema,
  FloorPlanRequestSchema,
  type RenderOptions,
  RenderOptionsSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import {
  DevicePlaceSchema,
  type FindPlacementResponse,
  FindPlacementResponseSchema,
  PlacementRefusalSchema,
} from "#gen/datacenter/v1/placement_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { computePlaceFigures, listPlacementNotices, type PlaceFigures } from "../../analysis/placement/announced.ts";
import {
  findPlaces,
  listRacksInScope,
  type Placement,
  type RefusedRack,
  type SelectedPlace,
} from "../../analysis/placement/find_places.ts";
import type { PlacementRequest } from "../../analysis/placement/limits.ts";
import { listHostSwitchesNear } from "../../analysis/placement/switch_ports.ts";
import { computeNextChangeMs } from "../../analysis/racks/rack_facts.ts";
import type { Topology } from "../../analysis/topology.ts";
import { MAX_PLACEMENT_EXAMPLES } from "../../limits.ts";
import type { NetworkPortSummary } from "../../model/inventory.ts";
import { formatPortReference, orderCableEnds } from "../../model/ref.ts";
import type { Cable, Device } from "../../model/resources.ts";
import { readRenderOptions } from "../../render/read_options.ts";
import { replyWithPicture } from "../answers/pictured.ts";
import { readFreeSwitchPorts } from "../answers/switch_devices.ts";
import { convertToMessage } from "../messages/convert.ts";
import { answerFloorPlan } from "../rack_reads.ts";
import { defineRead, type ReadSession } from "../rpc.ts";
import { type PlacementQuestion, parsePlacementRequest } from "./placement_request.ts";

export const findPlacement = defineRead({
  method: PlanningService.method.findPlacement,
  effect: "read",
  async run(session, request) {
    const { render: options } = request;
    if (options !== undefined) readRenderOptions("FLOOR", options);
    const question = await parsePlacementRequest(session, request);
    const topology = await session.topology("judged");
    session.lapsesAt(computeNextChangeMs(listRacksInScope(topology, question.wanted), session.now));
    const switches = await readReachableSwitchPorts(session, question.wanted);
    const placement = await findPlaces({ topology, wanted: question.wanted, switches }, session.scheduler);
    const revision = await session.reader.revision();
    const reply = await createPlacementReply(
      { question, placement, revision, withItems: request.includeItems },
      session,
    );
    if (options !== undefined) await addPicture(session, reply, options);
    return reply;
  },
});

/** Draws the floor of the first placement with every rack of the answer highlighted. */
async function addPicture(session: ReadSession, reply: FindPlacementResponse, options: RenderOptions): Promise<void> {
  const { siteId, floorNumber } = reply.places[0]?.location ?? {};
  if (siteId === undefined) return;
  const highlight = reply.racks.filter(({ placed }) => placed > 0).map(({ rackCode }) => `rack:${rackCode}`);
  const asked = create(RenderOptionsSchema, { ...options, highlight: [...options.highlight, ...highlight] });
  const floorRef = `floor:${siteId}/${floorNumber}`;
  await replyWithPicture(session, {
    screen: "FLOOR",
    requestedOptions: asked,
    defaultOptions: { highlightLabel: "rack with a new place" },
    async computeReply() {
      const plan = answerFloorPlan(
        await session.topology("judged"),
        session,
        create(FloorPlanRequestSchema, { floorRef }),
      );
      return { reply, picture: () => plan };
    },
  });
}

/** Reads the free ports of the switches that racks of the scope may use. */
async function readReachableSwitchPorts(
  session: ReadSession,
  wanted: PlacementRequest,
): Promise<ReadonlyMap<string, NetworkPortSummary>> {
  if (wanted.ports.length === 0) return new Map();
  const topology = await session.topology();
  return readFreeSwitchPorts(session, listHostSwitchesNear(topology, listRacksInScope(topology, wanted)));
}

interface ReplyInput {
  readonly question: PlacementQuestion;
  readonly placement: Placement;
  readonly revision: number;
  readonly withItems: boolean;
}

async function createPlacementReply(
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
        rackCode: place.candidate.rack.code,
        positionU: place.allocation.position,
        inlets: items.inlets,
        ports: items.ports,
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
  const placedIn = Map.groupBy(places, ({ candidate }) => candidate.rack.code);
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
      return own < 1 ? [] : [{ rackCode: code, fits: own, placed: placedIn.get(code)?.length ?? 0 }];
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
