import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { pictured } from "./answers/pictured.ts";
import { powerBlastRadiusAnswer } from "./answers/power_blast_radius.ts";
import { defineRead } from "./rpc.ts";

export const powerBlastRadius = defineRead({
  method: DatacenterService.method.powerBlastRadius,
  effect: "read",
  run: ({ context, topology, reader, scheduler }, request) =>
    pictured(
      { context, scheduler },
      {
        screen: "POWER",
        asked: request.render,
        answer: async () => powerBlastRadiusAnswer({ topology: await topology(), reader, scheduler }, request),
      },
    ),
});
