import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { getRackAnswer } from "./answers/get_rack.ts";
import { defineRead } from "./rpc.ts";

export const getRack = defineRead({
  method: DatacenterService.method.getRack,
  effect: "read",
  // Its health depends on the hour: measurements grow stale and reservations end.
  cached: false,
  async run({ context, reader, topology }, request) {
    const now = context.clock.now().toISOString();
    return getRackAnswer({ reader, topology: await topology(), now }, request);
  },
});
