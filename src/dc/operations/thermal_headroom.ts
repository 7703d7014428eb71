import type { Estate } from "#dc/model/estate.ts";
import type { Places } from "#dc/render/thermal/heat_map.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { thermalHeadroomAnswer } from "./answers/thermal_headroom.ts";
import { pictured } from "./pictured.ts";
import { defineRead } from "./rpc.ts";

export const thermalHeadroom = defineRead({
  method: DatacenterService.method.thermalHeadroom,
  effect: "read",
  cached: true,
  run: ({ context, topology }, request) =>
    pictured(context, {
      screen: "THERMAL",
      asked: request.render,
      async answer() {
        const known = await topology();
        const reply = thermalHeadroomAnswer(known, request);
        return { reply, picture: () => ({ reply, places: placesOf(known.estate, reply.racks) }) };
      },
    }),
});

/** Where the racks of an answer stand, as far as it is recorded. */
function placesOf({ racks }: Estate, asked: readonly { readonly code: string }[]): Places {
  const wanted = new Set(asked.map(({ code }) => code.toLowerCase()));
  return new Map(
    racks.flatMap(({ code, placement, location }) => {
      const key = code.toLowerCase();
      if (placement === undefined || location === undefined || !wanted.has(key)) return [];
      return [[key, { floor: `floor:${location.siteId}/${location.floorNumber}`, placement }] as const];
    }),
  );
}
