import type { DevicePort } from "#dc/analysis/cabling/trace_site.ts";
import { AreaCooling, type CapacityInput, computeAreaCapacity } from "#dc/analysis/capacity/area_capacity.ts";
import { findSuppliedRacks } from "#dc/analysis/capacity/free_power.ts";
import { collectLinkedPorts, listHostPorts, listHostSwitches } from "#dc/analysis/placement/switch_ports.ts";
import { isLocatedIn, listAreasInScope } from "#dc/analysis/places.ts";
import { computeNextChangeMs } from "#dc/analysis/racks/rack_facts.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { AREA_KINDS, type LoadBasis } from "#dc/model/enum_values.ts";
import { codeKey, type Ref } from "#dc/model/ref.ts";
import { type GetCapacityRequest, GetCapacityResponseSchema } from "#gen/datacenter/v1/capacity_pb.ts";
import type { AreaCapacity } from "#gen/datacenter/v1/messages.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { createPaginator, readEnumValue, readLoadBasis, readScope } from "../answers/parameters.ts";
import { readFreeSwitchPorts } from "../answers/switch_devices.ts";
import { convertToMessage } from "../messages/convert.ts";
import { defineRead, type ReadSession } from "../rpc.ts";

export const getCapacity = defineRead({
  method: PlanningService.method.getCapacity,
  effect: "read",
  async run(session, request) {
    const basis = readLoadBasis(request.loadBasis);
    const { pageToken: _, pageSize: __, ...question } = request;
    const pageOf = createPaginator(session.context.pageKey, request, question);
    const topology = await session.topology("judged");
    const { page, fields } = pageOf(readRequestedAreas(topology, request));
    const ground = await readCapacityInput(session, topology, page, basis);
    const found: AreaCapacity[] = [];
    for (const area of page) {
      await session.scheduler.yieldIfDue();
      found.push(await session.scheduler.run(computeAreaCapacity(ground, area)));
    }
    return convertToMessage(GetCapacityResponseSchema, {
      revision: await session.reader.revision(),
      areas: found.map(createAreaMessage),
      ...fields,
    });
  },
});

/** Returns the areas that a request selects, in the order of references. @throws Refusal naming the field */
function readRequestedAreas(topology: Topology, { scopeRef, by }: GetCapacityRequest): readonly Ref[] {
  const scope = readScope(topology, scopeRef);
  const kind = readEnumValue("by", by, AREA_KINDS);
  if (scope !== undefined && kind === undefined) return [scope];
  return listAreasInScope(topology.inventory, kind ?? "SITE", scope);
}

async function readCapacityInput(
  session: ReadSession,
  topology: Topology,
  areas: readonly Ref[],
  basis: LoadBasis,
): Promise<CapacityInput> {
  const { now, scheduler } = session;
  const isInside = (one: Parameters<typeof isLocatedIn>[0]) => areas.some((area) => isLocatedIn(one, area));
  const racks = topology.inventory.racks.filter((rack) => isInside({ ...rack, rackCode: rack.code }));
  session.lapsesAt(computeNextChangeMs(racks, now));
  const supplied = await findSuppliedRacks(topology, racks, { basis, now }, scheduler);
  await scheduler.yieldIfDue();
  const switches = listHostSwitches(topology).filter(isInside);
  const records = await readFreeSwitchPorts(session, switches);
  const linked = collectLinkedPorts(topology.inventory.fabricLinks);
  const switchPorts = new Map<string, readonly DevicePort[]>();
  for (const device of switches) {
    const record = records.get(codeKey(device.code));
    if (record === undefined) continue;
    switchPorts.set(
      codeKey(device.code),
      listHostPorts(device, record, linked).map((port) => ({ device, port })),
    );
  }
  return {
    topology,
    state: supplied.state,
    racks: new Map(supplied.racks.map((one) => [codeKey(one.rack.code), one])),
    cooling: new AreaCooling(topology, basis),
    switchPorts,
    basis,
    measuredW: await session.measuredW?.(),
    now,
  };
}

function createAreaMessage({ power, ...figures }: AreaCapacity) {
  return {
    ...figures,
    power: power && {
      ...power,
      freeKw: floorToWatts(power.freeKw),
      failoverFreeKw: floorToWatts(power.failoverFreeKw),
    },
  };
}

/** Rounds kilowatts down to whole watts, so that the result never exceeds the free capacity. */
function floorToWatts(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.floor(value * 1000 + 1e-6) / 1000;
}
