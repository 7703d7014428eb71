import type { World } from "../operations/shared/world.ts";
import { countsOf } from "../operations/status.ts";
import type { Spec } from "../spec/spec.ts";
import { CardMaker } from "./card.ts";
import { columnOf, type WorkFacts } from "./column.ts";
import type { BoardChange, BoardTotals, Card, CardAgent, Column } from "./wire.ts";

/** Specs that ended longer ago are counted and not shown. Source: docs/board.md#columns. */
const SHOWN_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

export interface BoardFacts extends WorkFacts {
  readonly world: World;
  /** Agents at work by spec. */
  readonly agents: ReadonlyMap<string, CardAgent>;
  /** When a spec ended, in milliseconds since 1970; its file's last change if the file does not say it. */
  endedAt(spec: Spec): number;
  readonly nowMs: number;
}

interface Shown {
  readonly card: Card;
  /** The card as text, to detect changes. */
  readonly text: string;
  /** Revision in which it became this. */
  readonly revision: number;
}

/**
 * The board's cards and how they changed, so that a page receives only what is new to it. A revision is a number that
 * grows with each change; a change since any earlier revision of this object can be computed.
 */
export class BoardState {
  readonly #maker = new CardMaker();
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

  get revision(): number {
    return this.#totals.revision;
  }

  /** Takes the facts as they are now; returns whether anything changed. Cost: O(specs). */
  update(facts: BoardFacts): boolean {
    const revision = this.revision + 1;
    const { world } = facts;
    const columns: Record<Column, number> = { blocked: 0, ready: 0, working: 0, needs_you: 0, done: 0 };
    const shown = new Map<string, Shown>();
    let changed = false;
    let older = 0;
    for (const spec of world.specs) {
      const standing = columnOf(spec, world.readiness, facts);
      columns[standing.column] += 1;
      if (standing.column === "done" && facts.nowMs - facts.endedAt(spec) > SHOWN_DAYS * DAY_MS) {
        older += 1;
        continue;
      }
      const card = this.#maker.card(spec, world.readiness, { ...standing, agent: facts.agents.get(spec.id) ?? null });
      const text = JSON.stringify(card);
      const known = this.#shown.get(spec.id);
      const isSame = known?.text === text;
      if (!isSame) changed = true;
      shown.set(spec.id, isSame ? known : { card, text, revision });
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

  /** All cards, in the order of their ids. */
  cards(): readonly Card[] {
    return Array.from(this.#shown.values(), ({ card }) => card);
  }

  totals(): BoardTotals {
    return this.#totals;
  }

  /** The revision in which a card became what it is; undefined if it is not shown. */
  revisionOf(id: string): number | undefined {
    return this.#shown.get(id)?.revision;
  }

  since(revision: number): BoardChange {
    return {
      ...this.#totals,
      cards: [...this.#shown.values()].filter((one) => one.revision > revision).map(({ card }) => card),
      gone: [...this.#gone].filter(([, at]) => at > revision).map(([id]) => id),
    };
  }
}
