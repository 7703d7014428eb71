import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import { computePortLoad, findBusiestPhase, type PhaseFigures, type PortLoad } from "#dc/analysis/power/port_load.ts";
import { findActiveInlet } from "#dc/analysis/power/power_live.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { DEFAULT_HOPS, MAX_HOPS, MAX_LISTED_HOPS } from "#dc/limits.ts";
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
import type { CablePicture } from "#dc/render/cable/items.ts";
import {
  CableSchema,
  DatacenterService,
  DeviceSummarySchema,
  type GetPortRequest,
  GetPortResponseSchema,
  PortPowerSchema,
  PortSchema,
  type TraceCablePathRequest,
  type TraceCablePathResponse,
  TraceCablePathResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { isSumUnknown } from "#words/figures.ts";
import { readCode, readCount, readPortName, readRef } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage, createPathMessage, createPortFields, createStoredMessage } from "./messages/convert.ts";
import { defineRead, type ReadSession } from "./rpc.ts";

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
  const isKnown = !isSumUnknown(loadVa + failoverVa, consumersWithoutDraw);
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

export const traceCablePath = defineRead({
  method: DatacenterService.method.traceCablePath,
  effect: "read",
  run: (session, request) =>
    replyWithPicture(session, {
      screen: "CABLE_PATH",
      requestedOptions: request.render,
      computeReply: () => answerTraceCablePath(session, request),
    }),
});

/**
 * Computes the reply of TraceCablePath and the input of its picture.
 *
 * @throws Refusal for an unknown port, or if the paths have more devices than a reply may hold
 */
export async function answerTraceCablePath(
  { reader, topology, scheduler }: Pick<ReadSession, "reader" | "topology" | "scheduler">,
  request: TraceCablePathRequest,
): Promise<{ readonly reply: TraceCablePathResponse; readonly picture: () => CablePicture }> {
  const maxHops = readCount("max_hops", request.maxHops, { usual: DEFAULT_HOPS, most: MAX_HOPS });
  const start = readStartPort(request);
  const device = await reader.device(start.deviceCode);
  const port = device?.ports?.find(({ name }) => name === start.portName);
  if (device === undefined || port === undefined) {
    throw refuse("NOT_FOUND", `Cannot find port "${formatPort(start)}"`, {
      field: request.portRef === "" ? "start" : "port_ref",
      value: formatPort(start),
      ref: formatPortReference(start),
    });
  }
  const { stopAtPower, followSplits } = request;
  const end = { deviceCode: device.code, portName: port.name };
  const paths = await traceCable(end, reader, {
    stopAtPower,
    followSplits,
    maxHops,
    inletInUse: async (code) => findInletInUse(await topology(), code),
    pause: () => scheduler.yieldIfDue(),
  });
  const listed = paths.reduce((sum, { hops }) => sum + hops.length, 0);
  if (listed > MAX_LISTED_HOPS) throw createTooManyHopsRefusal(end, { paths: paths.length, listed, maxHops });
  const messages = [];
  for (const path of paths) {
    await scheduler.yieldIfDue();
    messages.push(createPathMessage(path));
  }
  return {
    reply: convertToMessage(TraceCablePathResponseSchema, { paths: messages }),
    picture: () => ({ start: end, paths }),
  };
}

function createTooManyHopsRefusal(
  start: PortRef,
  { paths, listed, maxHops }: { readonly paths: number; readonly listed: number; readonly maxHops: number },
) {
  const found = `The ${paths} paths of port "${formatPort(start)}" have ${listed} devices in all`;
  const expected = `at most ${MAX_LISTED_HOPS}, by a smaller max_hops than ${maxHops} or without follow_splits`;
  const detail = { field: "max_hops", value: String(maxHops), expected, ref: formatPortReference(start) };
  return refuse("RESULT_TOO_LARGE", `${found}: expected ${expected}`, detail);
}

function readStartPort({ portRef: text, start }: TraceCablePathRequest): PortRef {
  if (text === "" && start !== undefined) {
    return {
      deviceCode: readCode("start.device_code", start.deviceCode),
      portName: readPortName("start.port_name", start.portName),
    };
  }
  const { end } = readRef("port_ref", text, ["port"]);
  if (start === undefined || isSamePort(start, end)) return end;
  throw refuse("FIELD_CONFLICT", "port_ref and start name different ports", {
    field: "start",
    value: formatPort(start),
  });
}

/** Returns the inlet in use: the preferred live one, else the first live one, else the first recorded one. */
function findInletInUse({ power, live }: Topology, deviceCode: string): string | undefined {
  const index = power.indexOf.get(`device:${codeKey(deviceCode)}`) ?? -1;
  return (findActiveInlet(power, live, index) ?? power.inlets.getFirstEdge(index))?.inlet;
}
