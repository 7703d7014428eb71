import { create } from "@bufbuild/protobuf";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { CheckWindowResponseSchema, GetWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { toMessage } from "../../messages/convert.ts";
import { defineRead } from "../../rpc.ts";
import { readListed, storedTimeline } from "./judge_window.ts";
import { allWindows, demandWindow, windowView } from "./stored_windows.ts";

export const getWindow = defineRead({
  method: PlanningService.method.getWindow,
  effect: "read",
  async run(session, { code, maxItems }) {
    const { reader, now } = session;
    const listed = readListed(maxItems);
    const stored = await demandWindow(reader, "code", code);
    const all = (await allWindows(reader)).map(({ resource }) => resource);
    const { timeline, timed } = await storedTimeline(session, all);
    const own = timed(stored.resource.code);
    if (own === undefined) return create(GetWindowResponseSchema, windowView(stored, now));
    const judgement = toMessage(CheckWindowResponseSchema, {
      revision: await reader.revision(),
      ...(await timeline.reply(own, listed)),
    });
    return create(GetWindowResponseSchema, { ...windowView(stored, now), judgement });
  },
});
