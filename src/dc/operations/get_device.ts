import { computeUtilization, listNodeLoadReasons } from "#dc/analysis/power/power_failover.ts";
import {
  computeBatteryMinutes,
  findActiveInletName,
  getSupplyState,
  listUndocumentedInlets,
} from "#dc/analysis/power/power_figures.ts";
import { listInletPaths, listSinglePointRefs } from "#dc/analysis/power/power_killers.ts";
import { countUnknownDraws, isLoadUnknown } from "#dc/analysis/power/unknown_draws.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { getDrawSource, getDrawW, isPowerKind } from "#dc/model/draw.ts";
import { DEVICE_VIEWS } from "#dc/model/enum_values.ts";
import { codeKey } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import {
  AuditEntrySchema,
  CableSchema,
  DatacenterService,
  GetDeviceResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode, readEnumValue } from "./answers/parameters.ts";
import { OUTCOME_BY_ACTION } from "./audit_history.ts";
import {
  convertToMessage,
  createBasicDeviceMessage,
  createDeviceMessage,
  createStoredMessage,
} from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

/** Maximum number of recent changes in the reply. Source: docs/rpcs.md#getdevice. */
const MAX_RECENT_CHANGES = 10;

export const getDevice = defineRead({
  method: DatacenterService.method.getDevice,
  effect: "read",
  async run({ reader, topology }, { code: asked, view }) {
    const code = readCode("code", asked);
    const isBasic = readEnumValue("view", view, DEVICE_VIEWS) === "BASIC";
    const stored = await reader.stored("device", codeKey(code));
    if (stored === undefined)
      throw refuse("NOT_FOUND", `Cannot find device "${code}"`, { field: "code", ref: `device:${code}` });
    const site = await topology();
    const { power, live } = site;
    const index = power.indexOf.get(`device:${codeKey(code)}`) ?? -1;
    const changes = await reader.history({ entity: `device:${code}`, descending: true, limit: MAX_RECENT_CHANGES });
    return convertToMessage(GetDeviceResponseSchema, {
      device: isBasic ? createBasicDeviceMessage(stored) : createDeviceMessage(stored),
      powerChain: listInletPaths(power, live, index).map((path) => ({ ...path, pathLabel: path.label })),
      powerSinglePoints: listSinglePointRefs(power, index),
      cables: (await reader.storedCablesOf(stored.resource.code)).map((cable) =>
        createStoredMessage(CableSchema, cable),
      ),
      // The load after the loss of another element can be higher only for supplies.
      ...computeDeviceLoads(power.supplies.count(index) === 0 ? site : await topology("judged"), index),
      ...(!isPowerKind(stored.resource.kind) && {
        drawSource: getDrawSource(stored.resource),
        drawW: getDrawW(stored.resource, "ALLOCATED"),
      }),
      consumersWithoutDraw: countUnknownDraws(power, index),
      supplyState: getSupplyState(power, live, index),
      undocumentedInlets: listUndocumentedInlets(power, index),
      activeInlet: findActiveInletName(power, live, index),
      recent: changes.map((record) =>
        convertToMessage(AuditEntrySchema, { ...record, outcome: OUTCOME_BY_ACTION[record.action], sealed: true }),
      ),
    });
  },
});

/**
 * Returns a device's load and its highest load after the loss of any one other element. For a supply, also returns its
 * utilization, battery minutes and health reasons.
 */
function computeDeviceLoads(site: Topology, index: number) {
  const { power, loadsW } = site;
  if (power.supplies.count(index) === 0) {
    return { powerLoadW: loadsW[index] ?? 0, powerFailoverW: loadsW[index] ?? 0 };
  }
  const carried = site.computeCarriedLoads("ALLOCATED");
  const used = computeUtilization(carried, index);
  return {
    powerLoadW: loadsW[index] ?? 0,
    powerFailoverW: carried.failover.loads[index] ?? 0,
    powerFailoverRef: power.nodes[carried.failover.lost[index] ?? -1]?.ref,
    ...(!isLoadUnknown(carried, index) && { powerPct: used?.normalPct, powerFailoverPct: used?.failoverPct }),
    batteryMin: computeBatteryMinutes(power.nodes[index], loadsW[index] ?? 0),
    batteryFailoverMin: computeBatteryMinutes(power.nodes[index], carried.failover.loads[index] ?? 0),
    powerReasons: listNodeLoadReasons(carried, index),
  };
}
