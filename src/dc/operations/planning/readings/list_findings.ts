import { ListFindingsResponseSchema, ReadingFindingSchema } from "#gen/datacenter/v1/findings_pb.ts";
import { PlanningService } from "#gen/datacenter/v1/planning_pb.ts";
import { formatDecimal, formatPercent, formatWatts } from "#words/figures.ts";
import { formatCountWithNoun, getRefName, listSomeNames } from "#words/names.ts";
import type { ReadingFinding } from "../../../analysis/measured/measured_topology.ts";
import { isLocatedIn } from "../../../analysis/places.ts";
import type { Topology } from "../../../analysis/topology.ts";
import { FINDING_KINDS, HEALTHS } from "../../../model/enum_values.ts";
import { codeKey, compareText, parseRef, toRefKey } from "../../../model/ref.ts";
import type { Location } from "../../../model/resources.ts";
import { createPaginator, readEnumValue, readScope, requireMaxFilterValues } from "../../answers/parameters.ts";
import { convertToMessage } from "../../messages/convert.ts";
import { defineRead, type ReadSession } from "../../rpc.ts";
import { type DatedFinding, findFindings } from "./read_findings.ts";

/** Maximum number of related elements that a reply lists; its figures count all of them. */
const MAX_LISTED_ELEMENTS = 10;
/** Maximum number of related elements that a summary names. */
const MAX_NAMED_RELATED = 3;

export function createFindingMessage(topology: Topology, finding: DatedFinding) {
  return convertToMessage(ReadingFindingSchema, {
    ...finding,
    elementRef: finding.ref,
    since: new Date(finding.since).toISOString(),
    summary: describeFinding(finding),
    relatedRefs: finding.related?.slice(0, MAX_LISTED_ELEMENTS),
    ...findElementLocation(topology, finding.ref),
  });
}

/** Returns the location of a measured element; for a port or a feed, the location of its device. */
function findElementLocation(
  topology: Topology,
  text: string,
): { readonly location?: Location; readonly rackCode?: string } {
  const ref = parseRef(text);
  if (ref?.kind === "rack") return selectLocationFields({ ...topology.rack(codeKey(ref.code)), rackCode: ref.code });
  if (ref?.kind === "crac") return selectLocationFields(topology.crac(codeKey(ref.code)));
  if (ref?.kind === "device") return selectLocationFields(topology.device(codeKey(ref.code)));
  if (ref?.kind === "port") return selectLocationFields(topology.device(codeKey(ref.end.deviceCode)));
  const { power } = topology;
  const node = power.nodes[power.indexOf.get(toRefKey(text)) ?? -1];
  return node?.kind === "OUTLET" ? selectLocationFields(topology.device(codeKey(node.end.deviceCode))) : {};
}

function selectLocationFields(at: { readonly location?: Location; readonly rackCode?: string } | undefined) {
  const { location, rackCode } = at ?? {};
  return { ...(location !== undefined && { location }), ...(rackCode !== undefined && { rackCode }) };
}

function describeFinding({ kind, ref, figures, related = [], quantities = [], source = "" }: ReadingFinding): string {
  const name = getRefName(ref);
  const figure = (key: string) => figures[key] ?? 0;
  const [measured, limit] = [formatFigure(figures, "measured"), formatFigure(figures, "limit")];
  const names = listSomeNames(related.map(getRefName), MAX_NAMED_RELATED);
  const words: Readonly<Record<ReadingFinding["kind"], () => string>> = {
    DEAD_SUPPLY: () => {
      const carriedW = figure("carried_w");
      return `${name} carries nothing: other supplies carry ${carriedW > 0 ? formatWatts(carriedW) : "the load"} of ${names}`;
    },
    ABOVE_PLAN: () =>
      `${name} draws ${formatWatts(figure("measured_w"))}, planned are ${formatWatts(figure("planned_w"))}`,
    ABOVE_LIMIT: () =>
      `${name} carries ${measured}, ${formatPercent(figure("used_pct"))} of its rating: limit ${limit}`,
    PHASE_IMBALANCE: () =>
      `${name} carries ${["l1_a", "l2_a", "l3_a"].map((key) => formatDecimal(figure(key))).join(", ")} A on its phases, a spread of ${formatPercent(figure("spread_pct"))}`,
    INLET_ABOVE_ALLOWABLE: () => `${name} takes in ${measured}, its class allows ${limit}`,
    BATTERY_BELOW_RUNTIME: () =>
      `The battery of ${name} lasts ${measured}, recorded are ${formatDecimal(figure("recorded_min"), "min")}`,
    READING_STOPPED: () =>
      ref === ""
        ? `All ${formatCountWithNoun(figure("readings"), "reading")} of ${source} stopped`
        : `${quantities.join(", ")} of ${name} from ${source} stopped`,
    METERS_DIFFER: () =>
      `The meter of ${name} shows ${formatWatts(figure("own_w"))}, those below it ${formatWatts(figure("below_w"))}`,
  };
  return words[kind]();
}

const UNIT_BY_SUFFIX: Readonly<Record<string, string>> = { w: "W", va: "VA", a: "A", c: "°C", min: "min" };

/** Returns the figure whose key is a name and a unit, such as `measured_w`, with its unit; "" if it is missing. */
function formatFigure(figures: ReadingFinding["figures"], name: string): string {
  const [key, value] = Object.entries(figures).find(([one]) => one.startsWith(`${name}_`)) ?? [];
  if (key === undefined || value === undefined) return "";
  const unit = UNIT_BY_SUFFIX[key.slice(name.length + 1)] ?? "";
  return unit === "W" ? formatWatts(value) : formatDecimal(value, unit);
}

export const listFindings = defineRead({
  method: PlanningService.method.listFindings,
  effect: "read",
  alsoReads: "readings",
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
