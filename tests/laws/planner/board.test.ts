import { expect } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { BoardState } from "#planner/board/board_state.ts";
import { BoardFactsReader } from "#planner/board/facts_reader.ts";
import { type BoardChange, type Card, COLUMNS } from "#planner/board/wire.ts";
import { STORED_STATUSES } from "#planner/spec/spec.ts";
import { law } from "../../support/law.ts";
import { LAW_RUNS } from "../../support/law_runs.ts";
import { type PlannerProject, plannerProject } from "../../support/planner_project.ts";

const NAMES = ["2026-11-01-001-aaa", "2026-11-01-001-aaa.1", "2026-11-01-001-aaa.2", "2026-11-01-002-bbb"];

const spec = fc.record({
  status: fc.constantFrom(...STORED_STATUSES, "paused", "nearly", ""),
  type: fc.constantFrom("code", "driver", "group"),
  dependsOn: fc.subarray([...NAMES, "unknown"], { maxLength: 2 }),
  approval: fc.option(fc.constantFrom("pending", "approved")),
  worktree: fc.option(fc.constantFrom("working", "done", "failed")),
  daysAgo: fc.constantFrom(0, 29, 31, 400),
  broken: fc.nat(9).map((number) => number === 0),
});

type Sketch = typeof spec extends fc.Arbitrary<infer T> ? T : never;

const states = fc.array(fc.dictionary(fc.constantFrom(...NAMES), spec), { minLength: 1, maxLength: 4 });

function write(made: PlannerProject, sketches: Readonly<Record<string, Sketch>>): void {
  for (const name of made.list(".planner/specs")) rmSync(join(made.root, ".planner/specs", name));
  for (const [name, sketch] of Object.entries(sketches)) {
    const lines = [
      `status: ${sketch.status}`,
      `type: ${sketch.type}`,
      `depends_on: [${sketch.dependsOn.join(", ")}]`,
      ...(sketch.approval === null ? [] : [`approval: {required: true, status: ${sketch.approval}}`]),
      `completed_at: ${new Date(Date.now() - sketch.daysAgo * 86_400_000).toISOString()}`,
      ...(sketch.broken ? ["labels: [a"] : []),
    ];
    made.spec(name, `---\n${lines.join("\n")}\n---\n\n# ${name}\n\n- [x] a\n- [ ] b\n`);
    if (sketch.worktree === null) continue;
    made.write(`${made.tree(name)}/file`, "");
    made.write(`.planner/worktrees/${name}.status.json`, JSON.stringify({ status: sketch.worktree }));
  }
}

/** What a page holds, changed as its server says. */
function applyChange(page: Map<string, Card>, { cards, gone }: BoardChange): void {
  for (const card of cards) page.set(card.id, card);
  for (const id of gone) page.delete(id);
}

async function expectSumsOfStatus(made: PlannerProject, state: BoardState): Promise<void> {
  const { counts, columns, older, unreadable } = state.getTotals();
  const { outside_changes: _, unreadable: listed = [], ...status } = await made.json("status");
  expect(counts).toEqual(status);
  expect(unreadable).toEqual(listed);
  expect(COLUMNS.reduce((sum, column) => sum + columns[column], 0)).toBe(status.total);
  for (const column of COLUMNS) {
    const shown = state.listCards().filter((card) => card.column === column).length;
    expect(shown + (column === "done" ? older : 0)).toBe(columns[column]);
  }
}

async function expectReady(made: PlannerProject, cards: readonly Card[]): Promise<void> {
  const { specs } = await made.json("ready");
  const pending = specs.filter(({ status }: Card) => status === "pending").map(({ id }: Card) => id);
  expect(idsOf(cards.filter(({ column }) => column === "ready"))).toEqual(pending.sort());
}

/** The page draws a box from its card, so each open spec has both. */
function expectPicture(state: BoardState): void {
  const { boxes, edges, unknown, width, height, box } = state.getPicture();
  const open = state.listCards().filter(({ status }) => status !== "completed" && status !== "cancelled");
  expect(idsOf(boxes)).toEqual([...idsOf(open), ...unknown].sort());
  for (const { x, y } of boxes) expect([x + box.width <= width, y + box.height <= height]).toEqual([true, true]);
  for (const { from, to, backward } of edges) {
    if (!backward) expect(boxes[from]?.x).toBeLessThan(boxes[to]?.x ?? 0);
  }
}

function idsOf(cards: Iterable<{ readonly id: string }>): readonly string[] {
  return Array.from(cards, ({ id }) => id).sort();
}

law(
  "each spec is in one column, whose sums are those of status, and changes lead from any state to the next",
  [states],
  async (turns) => {
    using made = await plannerProject();
    const [reader, state, page] = [new BoardFactsReader(made.context), new BoardState(), new Map<string, Card>()];
    let revision = 0;
    for (const sketches of turns) {
      write(made, sketches);
      const facts = await reader.readFacts();
      if (facts !== null) state.updateFacts(facts);
      await expectSumsOfStatus(made, state);
      await expectReady(made, state.listCards());
      const change = state.getChangesSince(revision);
      revision = change.revision;
      applyChange(page, change);
      expect(idsOf(page.values())).toEqual(idsOf(state.listCards()));
      for (const card of state.listCards()) expect(page.get(card.id)).toEqual(card);
      expectPicture(state);
    }
  },
  { numRuns: Math.ceil(Math.min(LAW_RUNS, 4000) / 4) },
);
