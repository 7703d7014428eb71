import { expect } from "bun:test";
import fc from "fast-check";
import { buildSpecGraph } from "#planner/operations/graph/spec_graph.ts";
import { computeReadiness } from "#planner/spec/readiness.ts";
import { builtSpec } from "../../../support/built_spec.ts";
import { law } from "../../../support/law.ts";

const projects = fc.array(
  fc.tuple(fc.constantFrom("pending", "completed", "failed"), fc.array(fc.nat(11), { maxLength: 4 })),
  {
    maxLength: 10,
  },
);

law(
  "every shown spec has a place of its own, edges lead to higher layers but for cycles, and no chain is longer",
  [projects, fc.boolean()],
  (project, all) => {
    const specs = project.map(([status, waits], at) =>
      builtSpec(`s${at}`, `status: ${status}\ndepends_on: [${waits.map((id) => `s${id}`).join(", ")}]`),
    );
    const archivedIds = new Set(["s11"]);
    const graph = buildSpecGraph({ specs, archivedIds, readiness: computeReadiness(specs, archivedIds) }, { all });
    const byId = new Map(graph.boxes.map((box) => [box.id, box]));
    expect(new Set(graph.boxes.map(({ layer, order }) => `${layer} ${order}`)).size).toBe(graph.boxes.length);
    const open = specs.filter(({ status }) => all || status !== "completed").map(({ id }) => id);
    expect(open.every((id) => byId.has(id))).toBe(true);
    const cyclic = new Set(graph.cycles.flat());
    const length = new Map<string, number>();
    for (const { id, status } of graph.boxes.toSorted((a, b) => a.layer - b.layer)) {
      const ways = graph.edges.filter((edge) => edge.to === id && !edge.backward);
      for (const { from } of ways) expect(byId.get(from)?.layer).toBeLessThan(byId.get(id)?.layer ?? 0);
      const counts = !["completed", "archived", "unknown"].includes(status);
      length.set(id, counts ? 1 + Math.max(0, ...ways.map(({ from }) => length.get(from) ?? 0)) : 0);
    }
    for (const { from, to } of graph.edges.filter(({ backward }) => backward)) {
      expect([cyclic.has(from), cyclic.has(to)]).toEqual([true, true]);
    }
    const longest = Math.max(0, ...length.values());
    expect(graph.critical_path.length).toBe(longest < 2 ? 0 : longest);
  },
);
