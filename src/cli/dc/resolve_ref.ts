import { create } from "@bufbuild/protobuf";
import type { DcService } from "#dc/service.ts";
import {
  InventoryKind,
  SearchInventoryRequestSchema,
  type SearchInventoryResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import { OperationError } from "#kernel/errors.ts";
import { findRefsByName } from "#web/console/named_refs.ts";
import { SYSTEM_CALLER } from "./with_service.ts";

type InventoryKindName = keyof typeof InventoryKind;

/** Kinds of resources that can be the scope of an analysis. */
export const SCOPE_KINDS: readonly InventoryKindName[] = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"];

/** Maximum number of hits per kind that the service returns at once; exact names come first. */
const MAX_HITS_PER_KIND = 50;

/**
 * Resolves a text to a reference. A text with a kind, such as `rack:B03`, is returned unchanged. A bare code, such as
 * `B03`, or the end of a location, such as `DH1`, is searched in the inventory.
 * @param kinds accepted kinds; all if empty
 * @throws OperationError for a code that matches nothing or several resources
 */
export async function resolveRef(
  service: DcService,
  text: string,
  kinds: readonly InventoryKindName[],
): Promise<string> {
  if (text === "" || text.includes(":")) return text;
  // Most commands get a full reference or none, and then need not load the search.
  const { searchInventory } = await import("#dc/operations/planning/search_inventory.ts");
  const request = create(SearchInventoryRequestSchema, {
    query: text,
    kinds: kinds.map((kind) => InventoryKind[kind]),
    pageSize: MAX_HITS_PER_KIND,
  });
  const reply = (await service.call(searchInventory, request, SYSTEM_CALLER)) as SearchInventoryResponse;
  const hits = reply.kinds.flatMap((kind) => kind.hits).map(({ ref }) => ref);
  const found = findRefsByName(hits, text);
  const [ref, other] = found;
  if (other !== undefined) {
    throw new OperationError("invalid_argument", `Ambiguous reference "${text}": expected one of ${found.join(", ")}`);
  }
  if (ref !== undefined) return ref;
  const near = hits.slice(0, 3).join(", ");
  const hint = near === "" ? "a code, or a reference such as rack:A01" : `a code, such as that of ${near}`;
  throw new OperationError("not_found", `Nothing is called "${text}": expected ${hint}`);
}
