/**
 * Times FindPlacement of 1,000 servers on a database, each request different.
 *
 *     planner dc sample --racks 1960 --db big.sqlite
 *     bun tests/bench/dc_placement.ts big.sqlite
 *
 * The file is changed. Prints wall-clock time and the processor time of this process, which says more on a busy machine.
 */
import { fromJson } from "@bufbuild/protobuf";
import { requireRpc } from "#dc/operations/index.ts";
import { findPlacement } from "#dc/operations/planning/find_placement.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { timed } from "./measure.ts";
import { givenDatabase, openSite } from "./opened_site.ts";

const ROUNDS = 3;

const { store, service } = await openSite(givenDatabase("dc_placement.ts <database file>"));
const PORTS = [{ count: 2, speed_mbps: 25_000 }];
let draw = 200;

/** Each question is another one, so that no kept reply answers it. */
async function place(ports: typeof PORTS): Promise<void> {
  draw += 1;
  const request = { count: 1000, u_height: 1, draw_w: draw, redundancy: "REDUNDANCY_TWO_N", ports, max_places: 10 };
  const input = fromJson(findPlacement.method.input, request);
  await service.call(findPlacement, input, { interface: "REST" });
}

/** Changes what one server draws: topology and loads after losses follow. */
async function change(): Promise<void> {
  const [device] = (await store.read((reader) => reader.powerInventory())).devices.filter(
    ({ kind }) => kind === "SERVER",
  );
  const body = { code: device?.code ?? "", kind: "DEVICE_KIND_SERVER", allocated_draw_w: draw };
  const request = fromJson(DatacenterService.method.upsertDevice.input, {
    device: body,
    update_mask: "allocatedDrawW",
  });
  await service.call(requireRpc(DatacenterService.method.upsertDevice), request, { interface: "REST" });
}

await timed("what a server prepares when it starts", () => service.warmUp(new AbortController().signal));
await timed("first, with two ports each", () => place(PORTS));
for (let round = 0; round < ROUNDS; round += 1) await timed("next, with two ports each", () => place(PORTS));
for (let round = 0; round < ROUNDS; round += 1) await timed("next, without ports", () => place([]));
for (let round = 0; round < ROUNDS; round += 1) {
  await change();
  await timed("after a change of one server, with two ports each", () => place(PORTS));
}
await store.close();
