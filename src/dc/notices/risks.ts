import { create } from "@bufbuild/protobuf";
import type { Caller } from "#dc/context.ts";
import { listAllWindows } from "#dc/every_window.ts";
import { MAX_PAGE_SIZE } from "#dc/limits.ts";
import { FAILURE_SEVERITIES, type FailureSeverity, FINDING_KINDS, type WindowVerdict } from "#dc/model/enum_values.ts";
import type { RiskKind } from "#dc/operations/notices/notice.ts";
import { listInventory } from "#dc/operations/planning/list_inventory.ts";
import { listFindings } from "#dc/operations/planning/readings/list_findings.ts";
import { rehearseFailures } from "#dc/operations/planning/rehearse_failures.ts";
import { collectStandings } from "#dc/operations/planning/windows/changed_verdicts.ts";
import type { DcService } from "#dc/service.ts";
import { Health } from "#gen/datacenter/v1/datacenter_pb.ts";
import { ListFindingsRequestSchema, type ListFindingsResponse } from "#gen/datacenter/v1/findings_pb.ts";
import {
  InventoryKind,
  ListInventoryRequestSchema,
  type ListInventoryResponse,
} from "#gen/datacenter/v1/planning_pb.ts";
import {
  RehearseFailuresRequestSchema,
  type RehearseFailuresResponse,
  FailureSeverity as Severity,
} from "#gen/datacenter/v1/rehearsal_pb.ts";
import { WindowState } from "#gen/datacenter/v1/windows_pb.ts";

/** Maximum number of elements that a notice lists. */
const MAX_ELEMENTS = 10;
/** Maximum number of elements of one cause that become subjects. Our choice. */
const MAX_CAUSES_OF_LINE = 100;

/** State of a subject of notices. */
export interface Risk {
  readonly kind: RiskKind;
  readonly state: string;
  readonly severity: FailureSeverity;
  readonly summary: string;
  readonly elements: readonly string[];
}

/** Risks by subject. */
export type RisksBySubject = Readonly<Record<string, Risk>>;

/** Severity of each verdict on a window. NO_GO is only HIGH, because the work has not begun and nothing is lost yet. */
const SEVERITY_BY_VERDICT: Readonly<Record<WindowVerdict, FailureSeverity>> = {
  GO: "INFO",
  GO_WITH_RISK: "LOW",
  UNKNOWN: "MEDIUM",
  NO_GO: "HIGH",
};

interface RiskQuery {
  readonly service: DcService;
  readonly caller: Caller;
  /** Kinds of risk that at least one receiver gets. */
  readonly kinds: ReadonlySet<RiskKind>;
  /** Lowest severity that any receiver gets. */
  readonly minSeverity: FailureSeverity;
}

/** Reads all risks, at most 1,000 of each kind, worst causes first; `isWhole` lists the completely read kinds. */
export async function readAllRisks(
  wanted: RiskQuery,
): Promise<{ readonly risks: RisksBySubject; readonly isWhole: ReadonlySet<RiskKind> }> {
  const found = new Map<string, Risk>();
  const isWhole = new Set<RiskKind>();
  if (wanted.kinds.has("cause") && (await readLossCauses(wanted, found))) isWhole.add("cause");
  if (wanted.kinds.has("finding") && (await readReadingFindings(wanted, found))) isWhole.add("finding");
  if (wanted.kinds.has("rack") && (await readRackRisks(wanted, found))) isWhole.add("rack");
  if (wanted.kinds.has("window")) {
    await readWindowVerdicts(wanted, found);
    isWhole.add("window");
  }
  return { risks: Object.fromEntries(found), isWhole };
}

/** Reads causes of loss. Each element whose failure causes a loss is a subject, because causes may merge and split. */
async function readLossCauses({ service, caller, minSeverity }: RiskQuery, found: Map<string, Risk>): Promise<boolean> {
  // Overloads trip, as in the console.
  const init = {
    cascade: true,
    minSeverity: Severity[minSeverity],
    pageSize: MAX_PAGE_SIZE,
    maxElements: MAX_CAUSES_OF_LINE,
  };
  const request = create(RehearseFailuresRequestSchema, init);
  const reply = (await service.call(rehearseFailures, request, caller)) as RehearseFailuresResponse;
  for (const { severity, summary, reason, elements } of reply.causes) {
    const state = FAILURE_SEVERITIES[severity - 1];
    if (state === undefined) continue;
    for (const { refs } of elements) {
      const [ref] = refs;
      if (ref === undefined) continue;
      found.set(`cause:${ref}`, {
        kind: "cause",
        state,
        severity: state,
        summary: `${reason}: ${summary}`,
        elements: [ref],
      });
    }
  }
  return reply.nextPageToken === "" && reply.causes.every(({ omittedElements }) => omittedElements === 0);
}

async function readRackRisks({ service, caller }: RiskQuery, found: Map<string, Risk>): Promise<boolean> {
  const request = create(ListInventoryRequestSchema, {
    kind: InventoryKind.RACK,
    conditions: [{ column: "health", values: ["FAULT"] }],
    pageSize: MAX_PAGE_SIZE,
  });
  const { rows, totalCount } = (await service.call(listInventory, request, caller)) as ListInventoryResponse;
  for (const { ref, name, figures } of rows) {
    const count = figures["findings"] ?? 0;
    const summary = `Rack ${name} is at fault: ${count} ${count === 1 ? "finding" : "findings"}`;
    found.set(ref, { kind: "rack", state: "FAULT", severity: "HIGH", summary, elements: [ref] });
  }
  return rows.length === totalCount;
}

async function readReadingFindings({ service, caller }: RiskQuery, found: Map<string, Risk>): Promise<boolean> {
  const request = create(ListFindingsRequestSchema, { pageSize: MAX_PAGE_SIZE });
  const reply = (await service.call(listFindings, request, caller)) as ListFindingsResponse;
  for (const { kind, severity, elementRef, source, summary, relatedRefs } of reply.findings) {
    const subject = `finding:${FINDING_KINDS[kind - 1]} ${elementRef === "" ? source : elementRef}`;
    const isFault = severity === Health.FAULT;
    found.set(subject, {
      kind: "finding",
      state: isFault ? "FAULT" : "WATCH",
      severity: isFault ? "HIGH" : "MEDIUM",
      summary,
      elements: [...(elementRef === "" ? [] : [elementRef]), ...relatedRefs].slice(0, MAX_ELEMENTS),
    });
  }
  return reply.nextPageToken === "";
}

async function readWindowVerdicts({ service, caller }: RiskQuery, found: Map<string, Risk>): Promise<void> {
  const states = [WindowState.PLANNED, WindowState.BEGUN];
  const { windows } = await listAllWindows(service, caller, { states });
  const elements = new Map(windows.map(({ window }) => [window?.code ?? "", window?.elementRefs ?? []]));
  for (const { code, verdict, summary } of collectStandings(windows).values()) {
    const refs = (elements.get(code) ?? []).slice(0, MAX_ELEMENTS);
    const words = `Window ${code}: ${summary}`;
    found.set(`window:${code}`, {
      kind: "window",
      state: verdict,
      severity: SEVERITY_BY_VERDICT[verdict],
      summary: words,
      elements: refs,
    });
  }
}
