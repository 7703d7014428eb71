import { traceCable } from "#dc/analysis/cabling/cable_trace.ts";
import { findActiveInlet } from "#dc/analysis/power/power_live.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { DEFAULT_HOPS, MAX_HOPS, MAX_LISTED_HOPS } from "#dc/limits.ts";
import { codeKey, formatPort, formatPortReference, isSamePort } from "#dc/model/ref.ts";
import { refuse } from "#dc/model/refusal.ts";
import type { PortRef } from "#dc/model/resources.ts";
import type { CablePicture } from "#dc/render/cable/items.ts";
import {
  DatacenterService,
  type TraceCablePathRequest,
  type TraceCablePathResponse,
  TraceCablePathResponseSchema,
} from "#gen/datacenter/v1/datacenter_pb.ts";
import { readCode, readCount, readPortName, readRef } from "./answers/parameters.ts";
import { replyWithPicture } from "./answers/pictured.ts";
import { convertToMessage, createPathMessage } from "./messages/convert.ts";
import { defineRead, type ReadSession } from "./rpc.ts";

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
