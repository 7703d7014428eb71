import { isLocatedIn } from "#dc/analysis/location_scope.ts";
import type { Topology } from "#dc/analysis/topology.ts";
import { FINDING_KINDS, HEALTHS } from "#dc/model/enum_values.ts";
import { compareText } from "#dc/model/ref.ts";
import { ListFindingsResponseSchema } from "#gen/datacenter/v1/findings_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { createPaginator } from "../../answers/page_token.ts";
import { readEnumValue, readScope, requireMaxFilterValues } from "../../answers/parameters.ts";
import { convertToMessage } from "../../messages/convert.ts";
import { defineRead, type ReadSession } from "../../rpc.ts";
import { createFindingMessage, findElementLocation } from "./finding_reply.ts";
import { type DatedFinding, findFindings } from "./read_findings.ts";

export const listFindings = defineRead({
  method: PlanningService.method.listFindings,
  effect: "read",
  dependsOnReadings: () => true,
  async run(session, request) {
    const { scopeRef, ...filter } = request;
    requireMaxFilterValues("kinds", filter.kinds.length);
    const kinds = filter.kinds.map((kind, at) => readEnumValue(`kinds[${at}]`, kind, FINDING_KINDS));
    const isFaultOnly = readEnumValue("min_severity", filter.minSeverity, HEALTHS) === "FAULT";
    const question = ["findings", scopeRef.toLowerCase(), kinds, isFaultOnly];
    const pageOf = createPaginator(session.context.pageKey, request, question);
    const topology = await session.topology();
    const inScope = await listFindingsInScope(session, topology, scopeRef);
    const found = inScope.filter(
      ({ kind, severity }) => (kinds.length === 0 || kinds.includes(kind)) && (!isFaultOnly || severity === "FAULT"),
    );
    const { page, fields } = pageOf(found);
    const faults = found.filter(({ severity }) => severity === "FAULT").length;
    return convertToMessage(ListFindingsResponseSchema, {
      findings: page.map((one) => createFindingMessage(topology, one)),
      ...fields,
      faultCount: faults,
      watchCount: found.length - faults,
    });
  },
});

/** Returns findings in a scope, faults first, then the newest. @param topology the graphs with recorded draws */
export async function listFindingsInScope(
  { reader, scheduler, now, lapsesAt }: Pick<ReadSession, "reader" | "scheduler" | "now" | "lapsesAt">,
  topology: Topology,
  scopeRef: string,
): Promise<readonly DatedFinding[]> {
  const scope = readScope(topology, scopeRef);
  const { findings, until } = await findFindings({ reader, scheduler, topology, now: Date.parse(now) });
  lapsesAt(until);
  return findings
    .filter(({ ref }) => scope === undefined || isLocatedIn(findElementLocation(topology, ref), scope))
    .toSorted(
      (a, b) =>
        compareText(a.severity, b.severity) ||
        b.since - a.since ||
        compareText(a.kind, b.kind) ||
        compareText(a.ref, b.ref),
    );
}
