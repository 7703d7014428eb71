import { expect } from "bun:test";
import fc from "fast-check";
import { buildSpec, parseDocument } from "#planner/spec/document.ts";
import { computeReadiness } from "#planner/spec/readiness.ts";
import { FILTER_STATUSES, type Spec } from "#planner/spec/spec.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { law } from "../../../support/law.ts";

const IDS = [
  "2026-11-21-001-aaa",
  "2026-11-21-002-bbb",
  "2026-11-21-001-aaa.1",
  "2026-11-21-001-aaa.2",
  "2026-11-21-001-aaa.2.1",
];
const status = fc.constantFrom("pending", "pending", "in_progress", "completed", "failed", "cancelled", "blocked");
const spec = (id: string): fc.Arbitrary<Spec> =>
  fc
    .record({
      status,
      depends: fc.option(fc.subarray([...IDS, "unknown"], { maxLength: 2 })),
      type: fc.constantFrom("code", "code", "driver", "group"),
      approval: fc.constantFrom(
        "",
        "",
        "approval: {required: true, status: pending}\n",
        "approval: {required: true, status: approved}\n",
      ),
    })
    .map(({ status: word, depends, type, approval }) => {
      const list = depends === null ? "" : `depends_on: [${depends.join(", ")}]\n`;
      const document = parseDocument(`---\nstatus: ${word}\ntype: ${type}\n${list}${approval}---\n# T\n`);
      if (!document.ok) throw new Error(document.problem.message);
      return buildSpec({ id: id as SpecId, file: `${id}.md`, archived: false }, document);
    });
const world = fc.subarray(IDS, { minLength: 1 }).chain((ids) => fc.tuple(...ids.map(spec)));
const finished = (specs: readonly Spec[], id: string): readonly Spec[] =>
  specs.map((each) => (each.id === id ? { ...each, status: "completed" } : each));

law(
  "readinessOf calls nothing ready that is not pending or failed or that waits for a dependency",
  [world],
  (specs) => {
    const readiness = computeReadiness(specs, new Set());

    for (const each of specs) {
      if (!readiness.isReady(each)) continue;
      expect(["pending", "failed"]).toContain(each.status);
      expect(readiness.listUnmet(each)).toEqual([]);
      expect(readiness.isBlocked(each)).toBe(false);
    }
  },
);

law(
  "readinessOf takes nothing off the ready list when another spec is completed",
  [world, fc.constantFrom(...IDS)],
  (specs, id) => {
    const before = computeReadiness(specs, new Set());
    const later = finished(specs, id);
    const after = computeReadiness(later, new Set());

    for (const [index, each] of specs.entries()) {
      if (each.id !== id && before.isReady(each)) expect(after.isReady(later[index] as Spec)).toBe(true);
    }
  },
);

law("readinessOf counts an archived dependency like a completed one", [world, fc.constantFrom(...IDS)], (specs, id) => {
  fc.pre(specs.some((each) => each.id === id && !IDS.some((other) => other.startsWith(`${id}.`))));
  const completed = computeReadiness(finished(specs, id), new Set());
  const rest = specs.filter((each) => each.id !== id);
  const archived = computeReadiness(rest, new Set([id]));

  for (const each of rest) {
    expect(archived.listUnmet(each)).toEqual([...completed.listUnmet(each)]);
    expect(archived.isReady(each)).toBe(completed.isReady(each));
  }
});

law(
  "readinessOf never calls a spec ready that waits for itself, over however many others",
  [fc.integer({ min: 1, max: 6 }), fc.constantFrom("pending", "failed")],
  (length, word) => {
    const ring = Array.from({ length }, (_, index) => {
      const document = parseDocument(`---\nstatus: ${word}\ndepends_on: [s${(index + 1) % length}]\n---\n`);
      if (!document.ok) throw new Error("does not parse");
      return buildSpec({ id: `s${index}` as SpecId, file: "x", archived: false }, document);
    });
    const readiness = computeReadiness(ring, new Set());

    expect(ring.filter((each) => readiness.isReady(each))).toEqual([]);
  },
);

law("readinessOf matches a spec by its effective word, and by ready when it is", [world], (specs) => {
  const readiness = computeReadiness(specs, new Set());

  for (const each of specs) {
    const words = FILTER_STATUSES.filter((filter) => readiness.matchesFilter(each, filter));
    expect(words).toContain(readiness.getEffectiveStatus(each) as (typeof words)[number]);
    expect(words.includes("ready")).toBe(readiness.isReady(each));
  }
});
