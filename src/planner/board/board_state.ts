import { OperationError } from "#kernel/errors.ts";
import type { ProcessRecord } from "#planner/work/records/process_record.ts";
import {
  type KeptRunRecord,
  type LatestRunRef,
  parseRecordedCriteria,
  parseRunRecord,
} from "#planner/work/records/read_record.ts";
import type { PlannerContext } from "../context.ts";
import {
  BOX_SIZE,
  buildSpecGraph,
  computeEdgePaths,
  type GraphWorld,
  layOutBoxes,
} from "../operations/graph/spec_graph.ts";
import type { SpecWorld } from "../operations/shared/world.ts";
import { countSpecs } from "../operations/status.ts";
import { parseCriteria } from "../spec/criteria.ts";
import { computeReadiness, type Readiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { parseSpecIdParts } from "../spec/spec_id.ts";
import { findPersonNeed, type PersonNeed, type PersonNeedFacts } from "../work/person_need.ts";
import { buildReviewedCriteria } from "../work/reviewed_criteria.ts";
import type { BoardChange, BoardPicture, BoardTotals, Card, CardAgent, Column, PictureEdge } from "./wire.ts";

/** Milliseconds for which the board shows an ended spec; later it is only counted. Source: docs/board.md#columns. */
export const ENDED_SPEC_VISIBLE_MS = 30 * 24 * 60 * 60 * 1000;

export interface BoardFacts extends WorkFacts {
  readonly world: SpecWorld;
  readonly archivedIds: ReadonlySet<string>;
  /** Latest run record of each spec, by spec id. */
  readonly runRecords: RunRecordsBySpec;
  /** Running agents, by spec id. */
  readonly agents: ReadonlyMap<string, CardAgent>;
  /** Returns the end of a spec, in milliseconds since 1970: from its frontmatter, otherwise its file's last change. */
  findEndMs(spec: Spec): number;
  readonly nowMs: number;
}

interface ShownCard {
  readonly card: Card;
  readonly spec: Spec;
  /** JSON of the card data that is neither from the spec's file nor about its agent, compared to detect a change. */
  readonly placementKey: string;
  readonly agentKey: string;
  /** Revision in which the card last changed. */
  readonly revision: number;
}

interface CardUpdate {
  readonly placement: ColumnPlacement;
  readonly facts: BoardFacts;
  readonly revision: number;
}

/**
 * Cards of the board and the revision in which each last changed, so that the server sends a page only the changes.
 * Each change increments the revision; changes since any earlier revision of this object can be computed.
 */
export class BoardState {
  #shownCards: ReadonlyMap<string, ShownCard> = new Map();
  readonly #removedCards = new Map<string, number>();
  #totals: BoardTotals = {
    revision: 0,
    counts: {},
    columns: { blocked: 0, ready: 0, working: 0, needs_you: 0, done: 0 },
    older: 0,
    unreadable: [],
  };
  #totalsText = "";
  #world: GraphWorld = { specs: [], archivedIds: new Set(), readiness: computeReadiness([], new Set()) };
  #picture: BoardPicture | undefined;

  get revision(): number {
    return this.#totals.revision;
  }

  /** Replaces the facts and returns whether anything on the board changed. Cost: O(specs). */
  updateFacts(facts: BoardFacts): boolean {
    const revision = this.revision + 1;
    const { world, archivedIds } = facts;
    if (world.specs !== this.#world.specs || archivedIds.size !== this.#world.archivedIds.size) {
      this.#world = { ...world, archivedIds };
      this.#picture = undefined;
    }
    const columns: Record<Column, number> = { blocked: 0, ready: 0, working: 0, needs_you: 0, done: 0 };
    const shown = new Map<string, ShownCard>();
    let changed = false;
    let older = 0;
    for (const spec of world.specs) {
      const standing = chooseColumn(spec, world.readiness, facts);
      columns[standing.column] += 1;
      if (standing.column === "done" && facts.nowMs - facts.findEndMs(spec) > ENDED_SPEC_VISIBLE_MS) {
        older += 1;
        continue;
      }
      const next = this.#updateCard(spec, { placement: standing, facts, revision });
      if (next !== this.#shownCards.get(spec.id)) changed = true;
      shown.set(spec.id, next);
      this.#removedCards.delete(spec.id);
    }
    for (const id of this.#shownCards.keys()) {
      if (shown.has(id)) continue;
      this.#removedCards.set(id, revision);
      changed = true;
    }
    const totals = { counts: countSpecs(world), columns, older, unreadable: world.unreadable };
    const totalsText = JSON.stringify(totals);
    if (!changed && totalsText === this.#totalsText && revision > 1) return false;
    this.#shownCards = shown;
    this.#totalsText = totalsText;
    this.#totals = { revision, ...totals };
    return true;
  }

  /** Returns a spec's card; the previous object if nothing on the card changed. */
  #updateCard(spec: Spec, { placement: stands, facts, revision }: CardUpdate): ShownCard {
    const { readiness } = facts.world;
    const known = this.#shownCards.get(spec.id);
    const waits = stands.column === "blocked" ? readiness.listUnmet(spec) : [];
    const proof = facts.runRecords.get(spec.id);
    const standing = JSON.stringify([stands, readiness.getEffectiveStatus(spec), waits, proof?.commit, proof?.head]);
    const worker = facts.agents.get(spec.id) ?? null;
    const agent = worker === null ? "" : JSON.stringify(worker);
    const isSame = known?.spec === spec && known.placementKey === standing;
    if (isSame && known.agentKey === agent) return known;
    const version = isSame ? known.card.version : revision;
    const card = buildCard(spec, { readiness, proof }, { ...stands, agent: worker, version });
    return { card, spec, placementKey: standing, agentKey: agent, revision };
  }

  /** All cards, sorted by id. */
  listCards(): readonly Card[] {
    return Array.from(this.#shownCards.values(), ({ card }) => card);
  }

  getTotals(): BoardTotals {
    return this.#totals;
  }

  /** Graph of open specs and their dependencies. Cost: that of `layOutGraph` after a change of specs, else constant. */
  getPicture(): BoardPicture {
    this.#picture ??= layOutGraph(this.#world);
    return this.#picture;
  }

  /** `Card.version` of a spec; undefined if it is not shown. */
  findCardVersion(id: string): number | undefined {
    return this.#shownCards.get(id)?.card.version;
  }

  getChangesSince(revision: number): BoardChange {
    return {
      ...this.#totals,
      cards: [...this.#shownCards.values()].filter((one) => one.revision > revision).map(({ card }) => card),
      gone: [...this.#removedCards].filter(([, at]) => at > revision).map(([id]) => id),
    };
  }
}

/** Lays out the open specs and their dependencies as `planner graph` does. Cost: that of `buildSpecGraph`. */
function layOutGraph(world: GraphWorld): BoardPicture {
  const graph = buildSpecGraph(world, { all: false });
  const { positions, width, height } = layOutBoxes(graph, 0);
  const index = new Map(graph.boxes.map(({ id }, at) => [id, at]));
  const edges = graph.edges.flatMap((edge): PictureEdge[] => {
    const lines = computeEdgePaths(edge, positions);
    if (lines === null) return [];
    const { kind, critical, backward } = edge;
    return [{ from: index.get(edge.from) ?? 0, to: index.get(edge.to) ?? 0, kind, critical, backward, ...lines }];
  });
  const boxes = graph.boxes.map(({ id, critical, in_cycle }) => ({
    ...{ id, critical, in_cycle },
    ...(positions.get(id) ?? { x: 0, y: 0 }),
  }));
  const { critical_path, cycles, unknown } = graph;
  return { width, height, box: BOX_SIZE, boxes, edges, critical_path, cycles, unknown };
}

/** Data of a card that is not in the spec's file. */
interface CardFacts {
  readonly readiness: Readiness;
  /** The latest run record of the spec. */
  readonly proof: SpecRunEvidence | undefined;
}

/** Builds the card of a spec. Cost: about 10 µs to find the criteria. */
function buildCard(
  spec: Spec,
  { readiness, proof }: CardFacts,
  standing: ColumnPlacement & Pick<Card, "agent" | "version">,
): Card {
  const { id, title, type, labels, priority, due, assignee } = spec;
  return {
    ...{ id, title, type, labels, priority, due, assignee },
    ...standing,
    short: shortenId(id),
    status: readiness.getEffectiveStatus(spec),
    criteria: countCardCriteria(spec, proof),
    waits_for: standing.column === "blocked" ? readiness.listUnmet(spec) : [],
  };
}

/** Shortens an id to the part that people type: suffix and member numbers. Returns an id of another form unchanged. */
function shortenId(id: string): string {
  const parts = parseSpecIdParts(id);
  return parts === undefined ? id : [parts.suffix, ...parts.members].join(".");
}

/** Counts criteria. One counts as checked if the file, or the run record of the branch's last commit, has it checked. */
function countCardCriteria({ id, body }: Spec, proof: SpecRunEvidence | undefined): Card["criteria"] {
  const criteria = parseCriteria(body);
  if (criteria.length === 0) return null;
  const recorded = proof === undefined ? [] : parseRecordedCriteria(proof.kept);
  const isInBranch = proof?.head != null && proof.head === parseRunRecord(proof.kept).head;
  const isChecked = (criterion: { readonly label: string; readonly checked: boolean }): boolean =>
    criterion.checked || (isInBranch && recorded.some(({ label, checked }) => checked && label === criterion.label));
  const reviewed = proof === undefined ? [] : buildReviewedCriteria({ id, body }, proof.kept, proof.head);
  const disproven = reviewed.filter(({ mark }) => mark === "disproven").length;
  return {
    checked: criteria.filter(isChecked).length,
    total: criteria.length,
    with_check: criteria.filter(({ verify }) => verify !== null).length,
    proven: reviewed.filter(({ mark }) => mark === "proven").length,
    ...(disproven > 0 && { disproven }),
  };
}

interface WorkFacts {
  /** Ids of specs that have a running process. */
  readonly workingIds: ReadonlySet<string>;
  /** State of the worktree after its last run, by the id of its spec. */
  readonly worktrees: ReadonlyMap<string, NonNullable<PersonNeedFacts["worktree"]>>;
  /** The latest process of each spec, by spec id. */
  readonly last: ReadonlyMap<string, ProcessRecord>;
}

/** A spec's column, and the reason if the column alone does not explain it. */
interface ColumnPlacement {
  readonly column: Column;
  readonly need: PersonNeed["kind"] | null;
  readonly note: string | null;
  readonly command: string | null;
}

/**
 * Chooses the column of an active spec.
 *
 * - Working: a process runs, or the status is in progress.
 * - Needs you: the run has ended and a person must act: it failed, needs attention, or is not merged.
 * - Ready or Blocked: a pending spec whose work may begin, or may not.
 */
function chooseColumn(spec: Spec, readiness: Readiness, facts: WorkFacts): ColumnPlacement {
  const { id } = spec;
  if (facts.workingIds.has(id)) return createColumnPlacement("working");
  const need = findPersonNeed({
    id,
    status: spec.status,
    worktree: facts.worktrees.get(id),
    last: facts.last.get(id),
  });
  if (need !== null) return { column: "needs_you", need: need.kind, note: need.why, command: need.command };
  switch (readiness.getEffectiveStatus(spec)) {
    case "completed":
    case "cancelled":
      return createColumnPlacement("done");
    case "in_progress":
      return createColumnPlacement("working", "No agent works on it", `planner work ${id}`);
    case "blocked":
      return readiness.listUnmet(spec).length > 0
        ? createColumnPlacement("blocked")
        : createColumnPlacement("blocked", 'Its status is "blocked"', `planner diagnose ${id}`);
    case "pending":
      return readiness.isReady(spec) ? createColumnPlacement("ready") : explainBlockedSpec(spec);
    default:
      return createColumnPlacement("needs_you", `Its status "${spec.status}" is not known`, `planner lint ${id}`);
  }
}

function createColumnPlacement(
  column: Column,
  note: string | null = null,
  command: string | null = null,
): ColumnPlacement {
  return { column, need: null, note, command };
}

/** Explains why work on a pending spec may not begin. */
function explainBlockedSpec({ id, approval, members, type }: Spec): ColumnPlacement {
  if (approval?.required === true && approval.status !== "approved") {
    return createColumnPlacement("blocked", "It waits for approval", `planner approve ${id}`);
  }
  const isDriver = members.length > 0 || type === "group" || type === "driver";
  return createColumnPlacement("blocked", isDriver ? "Its members come first" : "Specs before it are not done");
}

/** The latest run record of a spec. */
interface SpecRunEvidence extends LatestRunRef {
  readonly kept: KeptRunRecord;
}

export type RunRecordsBySpec = ReadonlyMap<string, SpecRunEvidence>;

/** Milliseconds after a change until records are listed again: a completed spec's record is written after its file. */
const RELIST_DELAY_MS = 2000;

/** Reads run records from git, each of them once. */
export class RunRecordReader {
  readonly #context: PlannerContext;
  #runRecords: RunRecordsBySpec = new Map();
  #dueTimes: readonly number[] = [];

  constructor(context: PlannerContext) {
    this.#context = context;
  }

  /** Schedules a new listing of the records after a change at `nowMs`. */
  scheduleRead(nowMs: number): void {
    this.#dueTimes = [nowMs, nowMs + RELIST_DELAY_MS];
  }

  /**
   * Returns the latest records. Lists them again if new ones may exist, which costs one git process, and one more for
   * new records.
   * @param isShown selects the specs whose records are read
   */
  async readLatest(nowMs: number, isShown: (id: string) => boolean): Promise<RunRecordsBySpec> {
    if (!this.#dueTimes.some((at) => at <= nowMs)) return this.#runRecords;
    this.#dueTimes = this.#dueTimes.filter((at) => at > nowMs);
    try {
      const { worktrees } = await this.#context.openRuns();
      const runs = (await worktrees.listLatestRuns()).filter(({ id }) => isShown(id));
      const isKnown = ({ id, commit }: LatestRunRef): boolean => this.#runRecords.get(id)?.commit === commit;
      const read = await worktrees.readRecords(runs.filter((run) => !isKnown(run)));
      this.#runRecords = new Map(
        runs.flatMap((run): [string, SpecRunEvidence][] => {
          const kept = isKnown(run) ? this.#runRecords.get(run.id)?.kept : read.get(run.id);
          return kept === undefined ? [] : [[run.id, { ...run, kept }]];
        }),
      );
    } catch (error) {
      // Without git the cards show only the checked criteria.
      if (!(error instanceof OperationError)) throw error;
    }
    return this.#runRecords;
  }
}
