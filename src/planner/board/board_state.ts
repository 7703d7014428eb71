import { BOX, drawEdge, layOutBoxes } from "../operations/graph/places.ts";
import { buildSpecGraph, type GraphWorld } from "../operations/graph/spec_graph.ts";
import type { SpecWorld } from "../operations/shared/world.ts";
import { countSpecs } from "../operations/status.ts";
import { computeReadiness } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { buildCard } from "./card.ts";
import { type ColumnPlacement, chooseColumn, type WorkFacts } from "./column.ts";
import type { Proofs } from "./proof_reader.ts";
import type { BoardChange, BoardPicture, BoardTotals, Card, CardAgent, Column, PictureEdge } from "./wire.ts";

/** Milliseconds for which the board shows an ended spec; later it is only counted. Source: docs/board.md#columns. */
export const ENDED_SPEC_VISIBLE_MS = 30 * 24 * 60 * 60 * 1000;

export interface BoardFacts extends WorkFacts {
  readonly world: SpecWorld;
  readonly archivedIds: ReadonlySet<string>;
  /** Latest run record of each spec, by spec id. */
  readonly proofs: Proofs;
  /** Running agents, by spec id. */
  readonly agents: ReadonlyMap<string, CardAgent>;
  /** Returns the end of a spec, in milliseconds since 1970: from its frontmatter, otherwise its file's last change. */
  endedAt(spec: Spec): number;
  readonly nowMs: number;
}

interface Shown {
  readonly card: Card;
  readonly spec: Spec;
  /** JSON of the card data that is neither from the spec's file nor about its agent, compared to detect a change. */
  readonly standing: string;
  readonly agent: string;
  /** Revision in which the card last changed. */
  readonly revision: number;
}

interface Drawing {
  readonly standing: ColumnPlacement;
  readonly facts: BoardFacts;
  readonly revision: number;
}

/**
 * Cards of the board and the revision in which each last changed, so that the server sends a page only the changes.
 * Each change increments the revision; changes since any earlier revision of this object can be computed.
 */
export class BoardState {
  #shown: ReadonlyMap<string, Shown> = new Map();
  readonly #gone = new Map<string, number>();
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
  update(facts: BoardFacts): boolean {
    const revision = this.revision + 1;
    const { world, archivedIds } = facts;
    if (world.specs !== this.#world.specs || archivedIds.size !== this.#world.archivedIds.size) {
      this.#world = { ...world, archivedIds };
      this.#picture = undefined;
    }
    const columns: Record<Column, number> = { blocked: 0, ready: 0, working: 0, needs_you: 0, done: 0 };
    const shown = new Map<string, Shown>();
    let changed = false;
    let older = 0;
    for (const spec of world.specs) {
      const standing = chooseColumn(spec, world.readiness, facts);
      columns[standing.column] += 1;
      if (standing.column === "done" && facts.nowMs - facts.endedAt(spec) > ENDED_SPEC_VISIBLE_MS) {
        older += 1;
        continue;
      }
      const next = this.#shownAs(spec, { standing, facts, revision });
      if (next !== this.#shown.get(spec.id)) changed = true;
      shown.set(spec.id, next);
      this.#gone.delete(spec.id);
    }
    for (const id of this.#shown.keys()) {
      if (shown.has(id)) continue;
      this.#gone.set(id, revision);
      changed = true;
    }
    const totals = { counts: countSpecs(world), columns, older, unreadable: world.unreadable };
    const totalsText = JSON.stringify(totals);
    if (!changed && totalsText === this.#totalsText && revision > 1) return false;
    this.#shown = shown;
    this.#totalsText = totalsText;
    this.#totals = { revision, ...totals };
    return true;
  }

  /** Returns a spec's card; the previous object if nothing on the card changed. */
  #shownAs(spec: Spec, { standing: stands, facts, revision }: Drawing): Shown {
    const { readiness } = facts.world;
    const known = this.#shown.get(spec.id);
    const waits = stands.column === "blocked" ? readiness.unmet(spec) : [];
    const proof = facts.proofs.get(spec.id);
    const standing = JSON.stringify([stands, readiness.effectiveStatus(spec), waits, proof?.commit, proof?.head]);
    const worker = facts.agents.get(spec.id) ?? null;
    const agent = worker === null ? "" : JSON.stringify(worker);
    const isSame = known?.spec === spec && known.standing === standing;
    if (isSame && known.agent === agent) return known;
    const version = isSame ? known.card.version : revision;
    const card = buildCard(spec, { readiness, proof }, { ...stands, agent: worker, version });
    return { card, spec, standing, agent, revision };
  }

  /** All cards, sorted by id. */
  cards(): readonly Card[] {
    return Array.from(this.#shown.values(), ({ card }) => card);
  }

  totals(): BoardTotals {
    return this.#totals;
  }

  /** Graph of open specs and their dependencies. Cost: that of `layOutGraph` after a change of specs, else constant. */
  picture(): BoardPicture {
    this.#picture ??= layOutGraph(this.#world);
    return this.#picture;
  }

  /** `Card.version` of a spec; undefined if it is not shown. */
  versionOf(id: string): number | undefined {
    return this.#shown.get(id)?.card.version;
  }

  since(revision: number): BoardChange {
    return {
      ...this.#totals,
      cards: [...this.#shown.values()].filter((one) => one.revision > revision).map(({ card }) => card),
      gone: [...this.#gone].filter(([, at]) => at > revision).map(([id]) => id),
    };
  }
}

/** Lays out the open specs and their dependencies as `planner graph` does. Cost: that of `buildSpecGraph`. */
function layOutGraph(world: GraphWorld): BoardPicture {
  const graph = buildSpecGraph(world, { all: false });
  const { places, width, height } = layOutBoxes(graph, 0);
  const index = new Map(graph.boxes.map(({ id }, at) => [id, at]));
  const edges = graph.edges.flatMap((edge): PictureEdge[] => {
    const lines = drawEdge(edge, places);
    if (lines === null) return [];
    const { kind, critical, backward } = edge;
    return [{ from: index.get(edge.from) ?? 0, to: index.get(edge.to) ?? 0, kind, critical, backward, ...lines }];
  });
  const boxes = graph.boxes.map(({ id, critical, in_cycle }) => ({
    ...{ id, critical, in_cycle },
    ...(places.get(id) ?? { x: 0, y: 0 }),
  }));
  const { critical_path, cycles, unknown } = graph;
  return { width, height, box: BOX, boxes, edges, critical_path, cycles, unknown };
}
