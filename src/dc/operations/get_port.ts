import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import { computePortLoad, findBusiestPhase, type PhaseFigures, type PortLoad } from "#dc/analysis/power/port_load.ts";
import { DEFAULT_HOPS } from "#dc/limits.ts";
import {
  codeKey,
  formatEdgeKey,
  formatPort,
  formatPortReference,
  isSamePort,
  parseRef,
  REF_GRAMMAR,
} from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { Port, PortRef } from "#dc/model/resources.ts";
import {
  CableSchema,
  DatacenterService,
  DeviceSummarySchema,
  type GetPortRequest,
  GetPortResponseSchema,
  PortPowerSchema,
  PortSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode, readPortName } from "./answers/parameters.ts";
import { convertToMessage, createPathMessage, createPortFields, createStoredMessage } from "./messages/convert.ts";
import { defineRead } from "./rpc.ts";

export const getPort = defineRead({
  method: DatacenterService.method.getPort,
  effect: "read",
  async run({ reader, topology, scheduler }, request) {
    const wanted = readRequestedPort(request);
    const device = await reader.device(wanted.deviceCode);
    const port = device?.ports?.find(({ name }) => name === wanted.portName);
    if (device === undefined || port === undefined) {
      throw refuse("NOT_FOUND", `Cannot find port "${formatPort(wanted)}"`, {
        field: request.portRef === "" ? (device === undefined ? "device_code" : "port_name") : "port_ref",
        value: formatPort(wanted),
        ref: formatPortReference(wanted),
      });
    }
    const end = { deviceCode: device.code, portName: port.name };
    const cable = await reader.cableAt(end);
    const stored = cable === undefined ? undefined : await reader.stored("cable", formatEdgeKey(cable.a, cable.b));
    const [path] = await traceCable(end, reader, { stopAtPower: true, followSplits: false, maxHops: DEFAULT_HOPS });
    return convertToMessage(GetPortResponseSchema, {
      port: convertToMessage(PortSchema, {
        ...createPortFields(device.code, port),
        cable: stored === undefined ? undefined : createStoredMessage(CableSchema, stored),
        farEnd: path?.destination === undefined || isSamePort(path.destination, end) ? undefined : path.destination,
        pathStatus: path?.status,
      }),
      device: convertToMessage(DeviceSummarySchema, device),
      path: path === undefined ? undefined : createPathMessage(path),
      power: isPowerPort(port)
        ? createPowerMessage(await scheduler.run(computePortLoad(await topology(), device, port)))
        : undefined,
    });
  },
});

function isPowerPort({ kind }: Port): boolean {
  return kind === "POWER_IN" || kind === "POWER_OUT";
}

function createPowerMessage(load: PortLoad | undefined) {
  if (load === undefined) return undefined;
  const { used, phases, loadVa, failoverVa, consumersWithoutDraw } = load;
  const isKnown = loadVa + failoverVa > 0 || consumersWithoutDraw === 0;
  return convertToMessage(PortPowerSchema, {
    ...load,
    ...(isKnown && { loadPct: used?.normalPct, failoverPct: used?.failoverPct }),
    limitPct: used?.limitPct,
    phases: isKnown ? phases.map(createPhaseMessage) : [],
    worstLeg: findBusiestPhase(phases, "loadVa"),
    failoverWorstLeg: findBusiestPhase(phases, "failoverVa"),
  });
}

function createPhaseMessage(phase: PhaseFigures) {
  const { loadVa, failoverVa, capacityVa } = phase;
  const computePct = (va: number) => (capacityVa === undefined ? undefined : (va / capacityVa) * 100);
  return { ...phase, loadPct: computePct(loadVa), failoverPct: computePct(failoverVa) };
}

/**
 * Returns the port that a request names by `port_ref` or by device code and port name.
 * @throws Refusal if it names no port, or two different ones
 */
function readRequestedPort({ portRef: text, deviceCode, portName }: GetPortRequest): PortRef {
  if (text === "") {
    if (deviceCode !== "" && portName !== "") {
      return { deviceCode: readCode("device_code", deviceCode), portName: readPortName("port_name", portName) };
    }
    throw refuse("REQUIRED_FIELD", "A port is required: expected port_ref, or device_code and port_name", {
      field: "port_ref",
      expected: REF_GRAMMAR.port,
    });
  }
  const ref = parseRef(text);
  if (ref?.kind !== "port") {
    throw refuse("INVALID_REF", `Cannot read port "${text}"`, {
      field: "port_ref",
      value: text,
      expected: REF_GRAMMAR.port,
    });
  }
  const differs =
    (deviceCode !== "" && codeKey(deviceCode) !== codeKey(ref.end.deviceCode)) ||
    (portName !== "" && portName !== ref.end.portName);
  if (!differs) return ref.end;
  throw refuse("FIELD_CONFLICT", "port_ref and device_code with port_name name different ports", {
    field: "port_ref",
    value: text,
  });
}
