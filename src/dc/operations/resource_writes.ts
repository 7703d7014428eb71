import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import { Refusal } from "#dc/model/refusal.ts";
import type { Cable, PortRef } from "#dc/model/resources.ts";
import { endShape, linkEndShape } from "#dc/model/rules/ends.ts";
import { DatacenterService } from "#gen/datacenter/v1/datacenter_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import type { WriteRpc, WriteSession } from "./rpc.ts";
import { bulkDelete, bulkUpsert, type Coded, deleteOne, type Many, upsertOne } from "./writes/mutations.ts";
import { type Removed, removeResource } from "./writes/remove.ts";

interface Ends {
  readonly a: PortRef;
  readonly b: PortRef;
}

const SHAPES = { cable: endShape, fabric_link: linkEndShape } as const;

/** The two ends of a request that names an edge. @throws Refusal when one is missing or no port by its spelling */
function namedEnds(
  kind: keyof typeof SHAPES,
  { a, b }: { readonly a?: PortRef | undefined; readonly b?: PortRef | undefined },
): Ends {
  const shape = SHAPES[kind];
  const [first, ...others] = [...shape("a", a), ...shape("b", b)];
  if (first !== undefined) throw new Refusal(first, others);
  return { a: end(a), b: end(b) };
}

function end(given: PortRef | undefined): PortRef {
  return { deviceCode: given?.deviceCode ?? "", portName: given?.portName ?? "" };
}

type Edge = "cable" | "fabric_link";

/** What the messages of all deletions of one resource contain: the code of a coded one, the ends of an edge. */
type DeleteRequest = Parameters<typeof deleteOne>[2] & Partial<Cable>;

const { method } = DatacenterService;

/** RPCs that write resources of one kind, one row each. */
export const resourceWrites: readonly WriteRpc[] = [
  upsert(method.upsertDevice, "device"),
  upsert(method.upsertRack, "rack"),
  upsert(method.upsertCrac, "crac"),
  upsert(method.upsertCable, "cable"),
  upsert(method.upsertFabricLink, "fabric_link"),
  remove(method.deleteDevice, "device"),
  remove(method.deleteRack, "rack"),
  remove(method.deleteCrac, "crac"),
  remove(method.deleteCable, "cable"),
  remove(method.deleteFabricLink, "fabric_link"),
  upsertMany(method.bulkUpsertDevices, "device"),
  upsertMany(method.bulkUpsertRacks, "rack"),
  upsertMany(method.bulkUpsertCracs, "crac"),
  upsertMany(PlanningService.method.bulkUpsertCables, "cable"),
  deleteMany(method.bulkDeleteDevices, "device"),
  deleteMany(method.bulkDeleteRacks, "rack"),
  deleteMany(method.bulkDeleteCracs, "crac"),
];

/** Builds the row of a method whose request the compiler knows only as the message of its kind of call. */
function row<Request>(
  described: DescMethodUnary,
  run: (session: WriteSession, request: Request) => Promise<unknown>,
): WriteRpc {
  return { method: described, effect: "write", run: run as unknown as WriteRpc["run"] };
}

function upsert(described: DescMethodUnary, kind: Coded | Edge): WriteRpc {
  return row(described, (session, request: Parameters<typeof upsertOne>[3]) =>
    upsertOne(session, described, kind, request),
  );
}

function remove(described: DescMethodUnary, kind: Coded | Edge): WriteRpc {
  return row(described, async (session, request: DeleteRequest) => {
    const { ref, deleted, cascadedRefs } = await removeNamed(session, kind, request);
    return create(described.output, { ref, deleted, cascadedRefs } as never);
  });
}

function removeNamed(session: WriteSession, kind: Coded | Edge, request: DeleteRequest): Promise<Removed> {
  if (kind !== "cable" && kind !== "fabric_link") return deleteOne(session, kind, { ...request, field: "code" });
  const { etag, allowMissing } = request;
  return removeResource(session, kind, namedEnds(kind, request), { field: "", etag, allowMissing, cascade: false });
}

function upsertMany(described: DescMethodUnary, kind: Many): WriteRpc {
  return row(described, (session, request: Parameters<typeof bulkUpsert>[2]) => bulkUpsert(session, kind, request));
}

function deleteMany(described: DescMethodUnary, kind: Coded): WriteRpc {
  return row(described, (session, request: Parameters<typeof bulkDelete>[2]) => bulkDelete(session, kind, request));
}
