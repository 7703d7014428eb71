import { FACES } from "#dc/model/words.ts";
import { roleColor } from "#dc/render/parts/roles.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { getRackAnswer } from "./answers/get_rack.ts";
import { pictured } from "./pictured.ts";
import { defineRead } from "./rpc.ts";

export const getRack = defineRead({
  method: DatacenterService.method.getRack,
  effect: "read",
  // Its health depends on the hour: measurements grow stale and reservations end.
  cached: false,
  run({ context, reader, topology }, request) {
    const view = FACES[request.face - 1];
    return pictured(context, {
      screen: "ELEVATION",
      asked: request.render,
      usual: view === undefined ? {} : { view },
      async answer() {
        const now = context.clock.now().toISOString();
        const reply = await getRackAnswer({ reader, topology: await topology(), now }, request);
        for (const occupant of reply.occupants) occupant.color = roleColor(occupant);
        return { reply, picture: () => reply };
      },
    });
  },
});
