/**
 * Times PreviewChanges on a database, each draft different.
 *
 *     planner dc sample --racks 1960 --db big.sqlite
 *     bun tests/bench/dc_preview.ts big.sqlite
 *
 * Prints wall-clock time and the processor time of this process, which says more on a busy machine.
 */
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { DeviceKind } from "#dc/model/enum_values.ts";
import { previewChanges } from "#dc/operations/planning/change_list.ts";
import type { PreviewChangesResponse } from "#gen/datacenter/v1/preview_pb.ts";
import { timed } from "./measure.ts";
import { givenDatabase, openSite } from "./opened_site.ts";

const ROUNDS = 5;

const { store, service } = await openSite(givenDatabase("dc_preview.ts <database file>"));
const { devices, cracs, cables } = await store.read((reader) => reader.powerInventory());

async function preview(changes: readonly JsonObject[]): Promise<void> {
  const request = fromJson(previewChanges.method.input, { changes: [...changes] });
  const reply = (await service.call(previewChanges, request, { interface: "REST" })) as PreviewChangesResponse;
  const { supplies, racks, lostCount, reducedCount, refused } = reply;
  if (refused > 0) throw new Error(`${refused} changes are refused`);
  process.stdout.write(
    `  ${supplies.length} supplies, ${racks.length} racks, ${lostCount} lost, ${reducedCount} reduced\n`,
  );
}

const kinds = Map.groupBy(devices, ({ kind }) => kind);
const ofKind = (kind: DeviceKind, at: number) => kinds.get(kind)?.[at];
const set = (kind: DeviceKind, at: number, fields: JsonObject) => [
  { device: { code: ofKind(kind, at)?.code ?? "", ...fields } },
];
const DRAFTS: Readonly<Record<string, (round: number) => readonly JsonObject[]>> = {
  "the draw of a server": (round) => set("SERVER", round, { allocated_draw_w: 300 + round }),
  "a thousand draws": (round) =>
    Array.from({ length: 1000 }, (_, at) => set("SERVER", at, { allocated_draw_w: 300 + round })).flat(),
  "a power cable removed": (round) => {
    const { a, b } = cables[round * 101] ?? {
      a: { deviceCode: "", portName: "" },
      b: { deviceCode: "", portName: "" },
    };
    return [{ delete_ref: `cable:${a.deviceCode}/${a.portName}~${b.deviceCode}/${b.portName}` }];
  },
  "a rack PDU out of service": (round) => set("RACK_PDU", round, { status: "DEVICE_STATUS_OFFLINE" }),
  "a rack PDU deleted with its cables": (round) => [
    { delete_ref: `device:${ofKind("RACK_PDU", round)?.code}`, cascade: true },
  ],
  "a UPS out of service": (round) => set("UPS", round, { status: "DEVICE_STATUS_FAILED" }),
  "a cooling unit out of service": (round) => [
    { crac: { code: cracs[round]?.code ?? "", status: "CRAC_STATUS_FAILED" } },
  ],
};

await timed("what a server prepares when it starts", () => service.warmUp(new AbortController().signal));
await timed("the first preview", () => preview(set("SERVER", 40, { allocated_draw_w: 333 })));
for (const [name, draft] of Object.entries(DRAFTS)) {
  for (let round = 0; round < ROUNDS; round += 1) await timed(name, () => preview(draft(round)));
}
await store.close();
