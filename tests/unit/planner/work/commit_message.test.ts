import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { checkConfig } from "#planner/config/check_config.ts";
import type { SpecId } from "#planner/spec/spec_id.ts";
import { COMMIT_SUMMARIES, createCommitWriter, isSpecCommit } from "#planner/work/commit_message.ts";

const ID = "2026-11-01-001-aaa" as SpecId;
const SPEC = { id: ID, title: "Sell\n shoes" };
const DONE = COMMIT_SUMMARIES.completed(ID);

test.each([
  [null, `planner: ${DONE}`],
  ["AB-1 {id} {title}: {summary}", `AB-1 ${ID} Sell shoes: ${DONE}`],
  ["AB-1 {summary}", `AB-1 ${DONE}\n\nPlanner-Spec: ${ID}`],
  ["AB-1 {title}\n", `AB-1 Sell shoes\n\n${DONE}\n\nPlanner-Spec: ${ID}`],
  ["{id}\n\nRefs: AB-1", `${ID}\n\n${DONE}\n\nRefs: AB-1`],
  ["AB: {summary}\n\nRefs: AB-1", `AB: ${DONE}\n\nRefs: AB-1\nPlanner-Spec: ${ID}`],
  ["AB: {summary}\n\nbody", `AB: ${DONE}\n\nbody\n\nPlanner-Spec: ${ID}`],
])("the template %j is filled in", (template, message) => {
  expect(createCommitWriter(template, SPEC)(DONE)).toBe(message);
});

test.each(["AB: {summary}", "AB {title}", "AB: {summary}\n\nRefs: AB-1"])("git reads the trailer of %j", (template) => {
  const input = createCommitWriter(template, SPEC)("sell");

  const trailers = execFileSync("git", ["interpret-trailers", "--parse"], { input, encoding: "utf8" });

  expect(trailers.split("\n")).toContain(`Planner-Spec: ${ID}`);
});

test.each<readonly [string, string | null, boolean]>([
  [`planner(${ID}): sell`, null, true],
  [`planner(${ID}): sell`, "AB: {summary}", true],
  [`planner(${ID}.1): sell`, null, false],
  [`AB-1 sell\n\nPlanner-Spec: ${ID}`, null, true],
  [`AB-1 sell\n\nPlanner-Spec: ${ID}.1`, null, false],
  [`AB-1 sell (${ID})`, null, false],
  [`AB-1 sell (${ID})`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.1, then ${ID}`, "{id} {summary}", true],
  [`AB-1 sell ${ID}.1`, "{id} {summary}", false],
  [`AB-1 sell ${ID}b`, "{id} {summary}", false],
])("the message %j with the template %j is work on the spec: %p", (message, template, expected) => {
  expect(isSpecCommit(message, ID, template)).toBe(expected);
});

test.each([null, "{id}", "AB {title}", "AB {id} {summary}", "AB {summary}"])(
  "planner's own commits are no work on the spec with the template %j",
  (template) => {
    const write = createCommitWriter(template, SPEC);
    const summaries = [COMMIT_SUMMARIES.ended(ID, "failed"), DONE, COMMIT_SUMMARIES.others];

    expect(summaries.map((summary) => isSpecCommit(write(summary), ID, template))).toEqual([false, false, false]);
  },
);

test.each(["{spec} {summary}", "a { b", " ", "a\u0000b", 7])("the setting refuses %j as a template", (template) => {
  const { errors } = checkConfig(`---\ngit: {commit_template: ${JSON.stringify(template)}}\n---\n`);

  expect(errors.map(({ message }) => message)).toEqual([
    `Invalid setting "git.commit_template": expected a text that is not empty, with no other braces than {id}, {title} and {summary}, got ${JSON.stringify(template)}`,
  ]);
});
