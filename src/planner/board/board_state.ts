import { BOX, edgeLines, placesOf } from "../operations/graph/places.ts";
import { type GraphWorld, specGraph } from "../operations/graph/spec_graph.ts";
import type { World } from "../operations/shared/world.ts";
import { countsOf } from "../operations/status.ts";
import { readinessOf } from "../spec/readiness.ts";
import type { Spec } from "../spec/spec.ts";
import { cardOf } from "./card.ts";
import { columnOf, type Standing, type WorkFacts } from "./column.ts";
import type { Proofs } from "./proof_reader.ts";
import type { BoardChange, BoardPicture, BoardTotals, Card, CardAgent, Column, PictureEdge } from "./wire.ts";

/** Specs that ended longer ago are counted and not shown. Source: docs/board.md#columns. */
export const SHOWN_MS = 30 * 24 * 60 * 60 * 1000;

export interface BoardFacts extends WorkFacts {
  readonly world: World;
  readonly archivedIds: ReadonlySet<string>;
  /** What runs have proven, by spec. */
  readonly proofs: Proofs;
  /** Agents at work by spec. */
  readonly agents: ReadonlyMap<string, CardAgent>;
  /** When a spec ended, in milliseconds since 1970; its file's last change if the file does not say it. */
  endedAt(spec: Spec): number;
  readonly nowMs: number;
}

interface Shown {
  readonly card: Card;
  readonly spec: Spec;
  /** What is said of the spec beside its file. */
  readonly standing: string;
  readonly agent: string;
  /** Revision in which it became this. */
  readonly revision: number;
}

interface Drawing {
  readonly standing: Standing;
  readonly facts: BoardFacts;
  readonly revision: number;
}

/**
 * The board's cards and how they changed, so that a page receives only what is new to it. A revision is a number that
 * grows with each change; a change since any earlier revision of this object can be computed.
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
  #world: GraphWorld = { specs: [], archivedIds: new Set(), readiness: readinessOf([], new Set()) };
  #picture: BoardPicture | undefined;

  get revision(): number {
    return this.#totals.revision;
  }

  /** Takes the facts as they are now; returns whether anything changed. Cost: O(specs). */
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
      const standing = columnOf(spec, world.readiness, facts);
      columns[standing.column] += 1;
      if (standing.column === "done" && facts.nowMs - facts.endedAt(spec) > SHOWN_MS) {
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
    const totals = { counts: countsOf(world), columns, older, unreadable: world.unreadable };
    const totalsText = JSON.stringify(totals);
    if (!changed && totalsText === this.#totalsText && revision > 1) return false;
    this.#shown = shown;
    this.#totalsText = totalsText;
    this.#totals = { revision, ...totals };
    return true;
  }

  /** The same object as before if nothing of the card changed. */
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
    const card = cardOf(spec, { readiness, proof }, { ...stands, agent: worker, version });
    return { card, spec, standing, agent, revision };
  }

  /** All cards, in the order of their ids. */
  cards(): readonly Card[] {
    return Array.from(this.#shown.values(), ({ card }) => card);
  }

  totals(): BoardTotals {
    return this.#totals;
  }

  /** The open specs and what they wait for. Cost: that of `pictureOf` after a change of specs. */
  picture(): BoardPicture {
    this.#picture ??= pictureOf(this.#world);
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

/** Returns the open specs and what they wait for, laid out as `planner graph` draws them. Cost: as `specGraph`. */
function pictureOf(world: GraphWorld): BoardPicture {
  const graph = specGraph(world, { all: false });
  const { places, width, height } = placesOf(graph, 0);
  const index = new Map(graph.boxes.map(({ id }, at) => [id, at]));
  const edges = graph.edges.flatMap((edge): PictureEdge[] => {
    const lines = edgeLines(edge, places);
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
