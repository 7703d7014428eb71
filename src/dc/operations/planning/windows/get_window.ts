import { create } from "@bufbuild/protobuf";
import { findSiteTimeZone } from "#dc/analysis/site_time_zone.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { CheckWindowResponseSchema, GetWindowResponseSchema } from "#gen/datacenter/v1/windows_pb.ts";
import { convertToMessage } from "../../messages/convert.ts";
import { defineRead } from "../../rpc.ts";
import { buildStoredTimeline, readListLimit } from "./judge_window.ts";
import { buildRunSheet, writeContactNotices } from "./run_sheet.ts";
import { createWindowView, readAllWindows, requireWindow } from "./stored_windows.ts";

export const getWindow = defineRead({
  method: PlanningService.method.getWindow,
  effect: "read",
  async run(session, { code, maxItems }) {
    const { reader, now } = session;
    const listed = readListLimit(maxItems);
    const stored = await requireWindow(reader, "code", code);
    const all = (await readAllWindows(reader)).map(({ resource }) => resource);
    const { topology, timeline, timed } = await buildStoredTimeline(session, all);
    const own = timed(stored.resource.code);
    const timeZone = findSiteTimeZone(topology.inventory.racks);
    const view = { ...createWindowView(stored, now), timeZone };
    if (own === undefined) return create(GetWindowResponseSchema, view);
    const judgement = convertToMessage(CheckWindowResponseSchema, {
      revision: await reader.revision(),
      ...(await timeline.createReply(own, listed)),
    });
    const subject = { window: stored.resource, judgement, zone: timeZone.name };
    const texts = { sheet: [...buildRunSheet(subject)], notices: [...writeContactNotices(subject)] };
    return create(GetWindowResponseSchema, { ...view, judgement, ...texts });
  },
});
