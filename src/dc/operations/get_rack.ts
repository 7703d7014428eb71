import { steadyUntil } from "#dc/analysis/racks/steady_until.ts";
import { FACES } from "#dc/model/enum_values.ts";
import { roleColor } from "#dc/render/parts/roles.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { getRackAnswer } from "./answers/get_rack.ts";
import { readWord } from "./answers/parameters.ts";
import { pictured } from "./answers/pictured.ts";
import { defineRead } from "./rpc.ts";

export const getRack = defineRead({
  method: DatacenterService.method.getRack,
  effect: "read",
  run({ context, scheduler, reader, judgedTopology, now, lapsesAt }, request) {
    const view = readWord("face", request.face, FACES);
    return pictured(
      { context, scheduler },
      {
        screen: "ELEVATION",
        asked: request.render,
        usual: view === undefined ? {} : { view },
        async answer() {
          const known = await judgedTopology();
          const reply = await getRackAnswer({ reader, topology: known, now }, request);
          const rack = known.rack(request.code);
          if (rack !== undefined) lapsesAt(steadyUntil([rack], now));
          for (const occupant of reply.occupants) occupant.color = roleColor(occupant);
          return { reply, picture: () => reply };
        },
      },
    );
  },
});
