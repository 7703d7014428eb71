import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import type { Cable, PortRef } from "#dc/model/resources.ts";
import { checkEndShape, checkLinkEndShape } from "#dc/model/rules/ends.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import type { WriteRpc, WriteSession } from "./rpc.ts";
import {
  type BulkKind,
  type CodedKind,
  deleteInBulk,
  deleteSingleResource,
  upsertInBulk,
  upsertSingleResource,
} from "./writes/mutations.ts";
import { type RemovedResource, removeResource } from "./writes/remove.ts";

interface Ends {
  readonly a: PortRef;
  readonly b: PortRef;
}

const SHAPES = { cable: checkEndShape, fabric_link: checkLinkEndShape } as const;

/** Returns the two ends of a requested edge. @throws Refusal for a missing end or an invalid port reference */
function readEdgeEnds(
  kind: keyof typeof SHAPES,
  { a, b }: { readonly a?: PortRef | undefined; readonly b?: PortRef | undefined },
): Ends {
  const shape = SHAPES[kind];
  const [first, ...others] = [...shape("a", a), ...shape("b", b)];
  if (first !== undefined) throw new Refusal(first, others);
  return { a: requireEnd(a), b: requireEnd(b) };
}

function requireEnd(given: PortRef | undefined): PortRef {
  return { deviceCode: given?.deviceCode ?? "", portName: given?.portName ?? "" };
}

type Edge = "cable" | "fabric_link";

/** Request of any single deletion: a resource's code, or the two ends of an edge. */
type DeleteRequest = Parameters<typeof deleteSingleResource>[2] & Partial<Cable>;

const { method } = DatacenterService;

/** RPCs that write resources of one kind. */
export const resourceWrites: readonly WriteRpc[] = [
  upsertRow(method.upsertDevice, "device"),
  upsertRow(method.upsertRack, "rack"),
  upsertRow(method.upsertCrac, "crac"),
  upsertRow(method.upsertCable, "cable"),
  upsertRow(method.upsertFabricLink, "fabric_link"),
  removeRow(method.deleteDevice, "device"),
  removeRow(method.deleteRack, "rack"),
  removeRow(method.deleteCrac, "crac"),
  removeRow(method.deleteCable, "cable"),
  removeRow(method.deleteFabricLink, "fabric_link"),
  bulkUpsertRow(method.bulkUpsertDevices, "device"),
  bulkUpsertRow(method.bulkUpsertRacks, "rack"),
  bulkUpsertRow(method.bulkUpsertCracs, "crac"),
  bulkUpsertRow(PlanningService.method.bulkUpsertCables, "cable"),
  bulkDeleteRow(method.bulkDeleteDevices, "device"),
  bulkDeleteRow(method.bulkDeleteRacks, "rack"),
  bulkDeleteRow(method.bulkDeleteCracs, "crac"),
];

/** Creates a write RPC. The compiler knows the request only as a union of all kinds' messages, hence the cast. */
function writeRow<Request>(
  described: DescMethodUnary,
  run: (session: WriteSession, request: Request) => Promise<unknown>,
): WriteRpc {
  return { method: described, effect: "write", run: run as unknown as WriteRpc["run"] };
}

function upsertRow(described: DescMethodUnary, kind: CodedKind | Edge): WriteRpc {
  return writeRow(described, (session, request: Parameters<typeof upsertSingleResource>[3]) =>
    upsertSingleResource(session, described, kind, request),
  );
}

function removeRow(described: DescMethodUnary, kind: CodedKind | Edge): WriteRpc {
  return writeRow(described, async (session, request: DeleteRequest) => {
    const { ref, deleted, cascadedRefs } = await removeByName(session, kind, request);
    return create(described.output, { ref, deleted, cascadedRefs } as never);
  });
}

function removeByName(session: WriteSession, kind: CodedKind | Edge, request: DeleteRequest): Promise<RemovedResource> {
  if (kind !== "cable" && kind !== "fabric_link")
    return deleteSingleResource(session, kind, { ...request, field: "code" });
  const { etag, allowMissing } = request;
  return removeResource(session, kind, readEdgeEnds(kind, request), { field: "", etag, allowMissing, cascade: false });
}

function bulkUpsertRow(described: DescMethodUnary, kind: BulkKind): WriteRpc {
  return writeRow(described, (session, request: Parameters<typeof upsertInBulk>[2]) =>
    upsertInBulk(session, kind, request),
  );
}

function bulkDeleteRow(described: DescMethodUnary, kind: CodedKind): WriteRpc {
  return writeRow(described, (session, request: Parameters<typeof deleteInBulk>[2]) =>
    deleteInBulk(session, kind, request),
  );
}
