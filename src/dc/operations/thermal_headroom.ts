import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { pictured } from "./answers/pictured.ts";
import { thermalHeadroomAnswer } from "./answers/thermal_headroom.ts";
import { thermalPicture } from "./answers/thermal_places.ts";
import { defineRead } from "./rpc.ts";

export const thermalHeadroom = defineRead({
  method: DatacenterService.method.thermalHeadroom,
  effect: "read",
  run: ({ context, scheduler, topology }, request) =>
    pictured(
      { context, scheduler },
      {
        screen: "THERMAL",
        asked: request.render,
        async answer() {
          const known = await topology();
          const reply = thermalHeadroomAnswer(known, request);
          return { reply, picture: () => thermalPicture(known.inventory, reply) };
        },
      },
    ),
});
