import { computePreview, type Preview } from "#dc/analysis/preview/preview.ts";
import { DEFAULT_PREVIEW_ITEMS, MAX_PREVIEW_ITEMS } from "#dc/limits.ts";
import type { BulkReply } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { type PreviewChangesResponse, PreviewChangesResponseSchema } from "#gen/datacenter/v1/preview_pb.ts";
import { readCount, readLoadBasis } from "../answers/parameters.ts";
import { readChangedPart } from "../answers/topology.ts";
import { convertToMessage } from "../messages/convert.ts";
import { limitListFields } from "../messages/messages.ts";
import { definePreview } from "../rpc.ts";
import { applyInventoryChanges } from "./apply_changes.ts";

export const previewChanges = definePreview({
  method: PlanningService.method.previewChanges,
  effect: "preview",
  async run(session, { changes: asked, loadBasis, maxItems }) {
    const { topology, writer, changes, now, revision } = session;
    const moment = { basis: readLoadBasis(loadBasis), now };
    const most = readCount("max_items", maxItems, { usual: DEFAULT_PREVIEW_ITEMS, most: MAX_PREVIEW_ITEMS });
    const reply = await applyInventoryChanges(session, asked, { atomic: false });
    const part = await readChangedPart(writer, topology, changes.entityRefs);
    if (part === undefined) throw new Error(`Cannot read a reference among ${changes.entityRefs.join(", ")}`);
    return async (scheduler) => {
      const draft = topology.createDraft(part.keys, part.after);
      const preview = await scheduler.run(computePreview(topology, draft, moment));
      return createPreviewReply(reply, preview, { revision, most });
    };
  },
});

function createPreviewReply(
  { results, failed }: BulkReply,
  { supplies, racks, cooling, devices, counts, findings: { added, removed } }: Preview,
  { revision, most }: { readonly revision: number; readonly most: number },
): PreviewChangesResponse {
  return convertToMessage(PreviewChangesResponseSchema, {
    results,
    refused: failed,
    revision,
    ...limitListFields("supplies", supplies, most),
    ...limitListFields("racks", racks, most),
    ...limitListFields("cooling", cooling, most),
    ...limitListFields("devices", devices, most),
    lostCount: counts.LOST,
    reducedCount: counts.REDUCED,
    gainedCount: counts.GAINED,
    increasedCount: counts.INCREASED,
    ...limitListFields("newFindings", added, most),
    ...limitListFields("resolvedFindings", removed, most),
  });
}
