import { create } from "@bufbuild/protobuf";
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
import { type Clock, readUptime } from "#kernel/clock.ts";
import { sortKeys } from "#kernel/json_object.ts";
import { isLocatedIn } from "../analysis/places.ts";
import type { Topology } from "../analysis/topology.ts";
import type { Caller } from "../context.ts";
import { MAX_PAGE_SIZE } from "../limits.ts";
import { FAILURE_SEVERITIES, type FailureSeverity, FINDING_KINDS, type WindowVerdict } from "../model/enum_values.ts";
import { compareText, formatRef, parseRef, type Ref, toRefKey } from "../model/ref.ts";
import { getIdleWorkMs, IDLE_PEER } from "../operations/answers/cooperative_scheduler.ts";
import { addNotices, MAX_NOTICES, type NoticeBody, type RiskKind } from "../operations/notices/notice.ts";
import { listInventory } from "../operations/planning/list_inventory.ts";
import { listFindings } from "../operations/planning/readings/list_findings.ts";
import { rehearseFailures } from "../operations/planning/rehearse_failures.ts";
import { collectStandings } from "../operations/planning/windows/list_windows.ts";
import type { DcStore } from "../ports.ts";
import { listAllWindows } from "../read_pages.ts";
import type { DcService } from "../service.ts";

/** Space and key of the document with the known risks. */
const [RISKS_SPACE, RISKS_KEY] = ["notice_state", "risks"];
/** Interval in milliseconds between reads of risks without any change, because verdicts also depend on the time. */
const MAX_READ_INTERVAL_MS = 60_000;
/** Maximum share of processor time for reading risks while changes follow each other. Our choice. */
const MAX_READ_SHARE = 0.05;
/** Interval in milliseconds between reads of the racks at fault. Our choice: each is reported within ten seconds. */
const RACK_INTERVAL_MS = 5000;

/** The server itself, which needs no token. Requests of other callers have priority. */
const SYSTEM_CALLER: Caller = {
  interface: "SYSTEM",
  principal: { name: "notices", roles: [], authMethod: "none" },
  peer: IDLE_PEER,
};
/** The server itself, as the caller that reads racks at fault. On a busy server, idle work would take minutes. */
const RACK_CALLER: Caller = { ...SYSTEM_CALLER, peer: {} };
const RACK_KINDS: ReadonlySet<RiskKind> = new Set(["rack"]);

interface RiskWatchOptions {
  readonly store: DcStore;
  readonly service: DcService;
  readonly receivers: readonly Receiver[];
  readonly clock: Clock;
  readonly newId: () => string;
  readonly say: (message: string) => void;
}

/** Creates notices of changed risks. Risks are stored with the notices, so that no notice is lost or created twice. */
export class RiskWatch {
  readonly #options: RiskWatchOptions;
  readonly #query: Pick<Parameters<typeof readAllRisks>[0], "kinds" | "minSeverity">;
  #lastRevisions = "";
  /** Whether risks are stored. Only then are racks read alone, because they are compared with stored ones. */
  #isStored = false;
  /** Uptimes of the clock. */
  #dueAt = 0;
  #restUntil = Number.NEGATIVE_INFINITY;
  #racksDueAt = 0;
  #lastRackRevisions = "";

  constructor(needs: RiskWatchOptions) {
    this.#options = needs;
    const { receivers } = needs;
    const least = Math.min(...receivers.map(({ minSeverity }) => FAILURE_SEVERITIES.indexOf(minSeverity)));
    this.#query = {
      kinds: new Set(receivers.flatMap(({ kinds }) => [...kinds])),
      minSeverity: FAILURE_SEVERITIES[least] ?? "CRITICAL",
    };
  }

  /**
   * Reads risks if anything changed since the last read, but not for five minutes after the clock was set: readings
   * would have stopped and windows would be over by a clock that is wrong.
   *
   * @returns the number of added notices about differences
   */
  async readChangedRisks(): Promise<number> {
    const begun = readUptime(this.#options.clock);
    if (begun < this.#restUntil) return 0;
    const seen = await this.#readRevisions();
    if (seen === undefined || (seen === this.#lastRevisions && begun < this.#dueAt)) return 0;
    const worked = getIdleWorkMs();
    this.#isStored ||=
      (await this.#options.store.read((reader) => reader.document(RISKS_SPACE, RISKS_KEY))) !== undefined;
    try {
      const kinds = this.#isStored ? this.#query.kinds.difference(RACK_KINDS) : this.#query.kinds;
      const added = await this.#storeChanges(kinds, SYSTEM_CALLER);
      if (!this.#isStored) this.#racksDueAt = begun + RACK_INTERVAL_MS;
      this.#isStored = true;
      this.#lastRevisions = seen;
      this.#dueAt = begun + MAX_READ_INTERVAL_MS;
      return added;
    } finally {
      // Also after a failure: otherwise, all risks would be read every second while the disk is full.
      this.#restUntil = begun + Math.max(1, getIdleWorkMs() - worked) / MAX_READ_SHARE;
    }
  }

  /** Reads the racks at fault, which costs little, also while the other risks rest or are being read. */
  async readRacksAtFault(): Promise<number> {
    const begun = readUptime(this.#options.clock);
    if (!this.#isStored || begun < this.#racksDueAt || !this.#query.kinds.has("rack")) return 0;
    const seen = await this.#readRevisions();
    const isOld = begun >= this.#racksDueAt + MAX_READ_INTERVAL_MS;
    if (seen === undefined || (seen === this.#lastRackRevisions && !isOld)) return 0;
    this.#racksDueAt = begun + RACK_INTERVAL_MS;
    const added = await this.#storeChanges(RACK_KINDS, RACK_CALLER);
    this.#lastRackRevisions = seen;
    return added;
  }

  /** Returns the state of the inventory and of readings; undefined while the clock is not settled. */
  #readRevisions(): Promise<string | undefined> {
    const { store, service } = this.#options;
    return store.read(async (reader) =>
      (await service.passedTime.isClockSettled(reader))
        ? `${await reader.revision()} ${await reader.readingsRevision()}`
        : undefined,
    );
  }

  async #storeChanges(kinds: ReadonlySet<RiskKind>, caller: Caller): Promise<number> {
    if (kinds.size === 0) return 0;
    const { store, service, clock } = this.#options;
    const read = await readAllRisks({ service, caller, ...this.#query, kinds });
    const topology = await service.getInventoryGraphs();
    const at = clock.now().toISOString();
    return store.write(async (writer) => {
      const kept = await writer.document(RISKS_SPACE, RISKS_KEY);
      // Without stored risks, the present ones are the start of the comparison.
      const before = kept === undefined ? read.risks : (JSON.parse(kept) as RisksBySubject);
      const { notices, known } = compareRisks(before, read, at);
      const text = JSON.stringify(known);
      if (text !== kept) await writer.putDocument(RISKS_SPACE, RISKS_KEY, text);
      const given = notices.flatMap((body) => this.#createReceiverNotices(body, topology));
      if (given.length === 0) return 0;
      const added = await addNotices(writer, given);
      for (const [receiver, some] of Map.groupBy(given, (one) => one.receiver)) {
        const lost = some.length - added.filter((one) => one.receiver === receiver).length;
        if (lost > 0) this.#options.say(`${lost} notices to "${receiver}" were not kept: ${MAX_NOTICES} wait already`);
      }
      return added.length;
    });
  }

  #createReceiverNotices(body: NoticeBody, topology: Parameters<typeof isNoticeReceivedBy>[2]) {
    const { receivers, newId, clock } = this.#options;
    return receivers
      .filter((receiver) => isNoticeReceivedBy(receiver, body, topology))
      .map(({ name }) => ({ id: `msg_${newId()}`, receiver: name, body, nextAt: clock.now().getTime() }));
  }
}

/** Notices about risks that changed, and the risks to store for the next comparison. */
interface RiskChange {
  readonly notices: readonly NoticeBody[];
  readonly known: RisksBySubject;
}

/**
 * Compares risks with the earlier risks. Unread risks count as unchanged: a kind that was not read completely loses no
 * subjects. A window that opens or closes is no change of its verdict.
 */
function compareRisks(
  before: RisksBySubject,
  { risks, isWhole }: { readonly risks: RisksBySubject; readonly isWhole: ReadonlySet<RiskKind> },
  at: string,
): RiskChange {
  const notices: NoticeBody[] = [];
  const known: Record<string, Risk> = { ...risks };
  const subjects = [...new Set([...Object.keys(before), ...Object.keys(risks)])].sort(compareText);
  for (const subject of subjects) {
    const [was, is] = [before[subject], risks[subject]];
    if (was !== undefined && is === undefined && !isWhole.has(was.kind)) {
      known[subject] = was;
      continue;
    }
    const notice = createRiskNotice(subject, was, is, at);
    if (notice !== undefined) notices.push(notice);
  }
  // In one order, whichever kinds were read, so that equal risks are not written again.
  return { notices, known: sortKeys(known) };
}

function createRiskNotice(
  subject: string,
  was: Risk | undefined,
  is: Risk | undefined,
  at: string,
): NoticeBody | undefined {
  const one = is ?? was;
  if (one === undefined || was?.state === is?.state) return undefined;
  const isNew = was === undefined;
  const isOver = is === undefined;
  if (one.kind === "window" && (isNew || isOver)) return undefined;
  return {
    type: `${one.kind}.${isNew ? "appeared" : isOver ? "cleared" : "changed"}`,
    subject,
    severity: selectWorseSeverity(was?.severity, is?.severity),
    state: is?.state ?? "",
    was: was?.state ?? "",
    summary: isOver ? `Over: ${one.summary}` : one.summary,
    elements: one.elements,
    at,
  };
}

/** Returns the worse severity, so that everyone who got a notice about a risk also gets a notice of the risk's end. */
function selectWorseSeverity(a: FailureSeverity = "INFO", b: FailureSeverity = "INFO"): FailureSeverity {
  return FAILURE_SEVERITIES.indexOf(a) > FAILURE_SEVERITIES.indexOf(b) ? a : b;
}

/** Maximum number of elements that a notice lists. */
const MAX_ELEMENTS = 10;
/** Maximum number of elements of one cause that become subjects. Our choice. */
const MAX_CAUSES_OF_LINE = 100;

/** State of a subject of notices. */
interface Risk {
  readonly kind: RiskKind;
  readonly state: string;
  readonly severity: FailureSeverity;
  readonly summary: string;
  readonly elements: readonly string[];
}

/** Risks by subject. */
type RisksBySubject = Readonly<Record<string, Risk>>;

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

/** A receiver of notices, and the conditions for notices that it gets. */
export interface Receiver {
  readonly name: string;
  readonly minSeverity: FailureSeverity;
  readonly kinds: ReadonlySet<RiskKind>;
  /** Sites, floors, rooms, rows, zones or racks; an empty list includes everything. */
  readonly places: readonly Ref[];
}

/** Whether a receiver gets a notice: type and severity match, and an element is in a location of the receiver. */
export function isNoticeReceivedBy(
  receiver: Receiver,
  { type, severity, elements }: NoticeBody,
  topology: Topology,
): boolean {
  const [kind] = type.split(".");
  if (![...receiver.kinds].some((one) => one === kind)) return false;
  if (FAILURE_SEVERITIES.indexOf(severity) < FAILURE_SEVERITIES.indexOf(receiver.minSeverity)) return false;
  if (receiver.places.length === 0) return true;
  return receiver.places.some((place) => elements.some((ref) => isElementInLocation(topology, ref, place)));
}

function isElementInLocation(topology: Topology, text: string, place: Ref): boolean {
  const ref = parseRef(text);
  const isDeviceIn = (code: string) => isDeviceInLocation(topology, code, place);
  switch (ref?.kind) {
    case "rack": {
      const rack = topology.rack(ref.code);
      return rack !== undefined && isLocatedIn({ ...rack, rackCode: rack.code }, place);
    }
    case "crac": {
      const unit = topology.crac(ref.code);
      return unit !== undefined && isLocatedIn(unit, place);
    }
    case "device":
      return isDeviceIn(ref.code);
    case "port":
      return isDeviceIn(ref.end.deviceCode);
    case "feed":
      return isDeviceIn(findFeedOwnerCode(topology, text));
    case "cable":
    case "fabric_link":
      return isDeviceIn(ref.a.deviceCode) || isDeviceIn(ref.b.deviceCode);
    default:
      return ref !== undefined && isLocationWithin(ref, place);
  }
}

/**
 * Whether a location equals another location, or is on that floor or site. A room does not include the rows and zones
 * in it, because references do not name their room.
 */
function isLocationWithin(ref: Ref, place: Ref): boolean {
  const [inner, outer] = [ref, place].map((one) => formatRef(one).toLowerCase());
  if (inner === outer) return true;
  const isWide = place.kind === "site" || place.kind === "floor";
  return isWide && omitRefKind(inner ?? "").startsWith(`${omitRefKind(outer ?? "")}/`);
}

const omitRefKind = (text: string) => text.slice(text.indexOf(":") + 1);

function isDeviceInLocation(topology: Topology, code: string, place: Ref): boolean {
  const device = topology.device(code);
  if (device === undefined) return false;
  const rack = device.rackCode === undefined ? undefined : topology.rack(device.rackCode);
  return isLocatedIn({ ...rack, ...device }, place);
}

/** Returns the code of the device that declares a feed; empty for an undeclared feed. */
function findFeedOwnerCode({ power }: Topology, text: string): string {
  const ref = parseRef(power.nodes[power.indexOf.get(toRefKey(text)) ?? -1]?.ref ?? "");
  return ref?.kind === "port" ? ref.end.deviceCode : "";
}
