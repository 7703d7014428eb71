import { BOX_SIZE, computeEdgePaths, layOutBoxes } from "../operations/graph/places.ts";
import { buildSpecGraph, type GraphWorld } from "../operations/graph/spec_graph.ts";
import type { SpecWorld } from "../operations/shared/world.ts";
import { countSpecs } from "../operations/status.ts";
import { computeReadiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { buildCard } from "./card.ts";
import { type ColumnPlacement, chooseColumn, type WorkFacts } from "./column.ts";
import type { RunRecordsBySpec } from "./proof_reader.ts";
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
