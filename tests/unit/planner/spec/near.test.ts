import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONFIG } from "#planner/config/config.ts";
import { buildFrontmatterSchema } from "#planner/config/frontmatter_schema.ts";
import { readCriteria } from "#planner/spec/criteria.ts";
import { parseDocument } from "#planner/spec/document.ts";
import { findCopiedId, findNearFields, findSecondBlock, OWN_FIELDS } from "#planner/spec/near.ts";

const SLIPS = {
  ...{ Status: "status", "depends-on": "depends_on", dependsOn: "depends_on", "Depends On": "depends_on" },
  ...{ depend_on: "depends_on", depends: "depends_on", staus: "status", statuss: "status", label: "labels" },
  ...{ target_file: "target_files", titel: "title", ID: "id", aproval: "approval", types: "type", lables: "labels" },
};

test("findNearFields names slips of planner's fields and no key of other programs", () => {
  const of = (key: string) => findNearFields({ [key]: "x" }).map(({ meant }) => meant);
  const free =
    "assignees aliases author blocked_by categories commit content created created_date date dependencies description " +
    "documentation draft due_date estimate external_ref issue keywords layout link links milestone mode name notes ordinal " +
    "origin_status owner parent parent_task_id phase pr project ref references related repo sprint state stats story " +
    "subtasks tag tags team test tests tools updated url user version weight";

  for (const [key, meant] of Object.entries(SLIPS)) expect([key, of(key)]).toEqual([key, [meant]]);
  for (const key of [...free.split(" "), ...OWN_FIELDS]) expect([key, of(key)]).toEqual([key, []]);
});

test("findNearFields knows every field of the frontmatter's schema", () => {
  const { properties } = buildFrontmatterSchema(DEFAULT_CONFIG);

  expect(Object.keys(properties as object).filter((name) => !OWN_FIELDS.includes(name))).toEqual([]);
});

const FIELDS = "id: a\nstatus: cancelled\n";

test.each<[text: string, line: number | null]>([
  [`\n---\n${FIELDS}---\n# T\n`, 2],
  [` ---\n${FIELDS}---\n# T\n`, 1],
  [`\u200b---\n${FIELDS}---\n# T\n`, 1],
  [`# T\n\n---\n${FIELDS}---\n`, 3],
  [`<!-- a licence -->\n---\n${FIELDS}---\n# T\n`, 2],
  [`----\n${FIELDS}----\n# T\n`, 1],
  [`———\n${FIELDS}---\n# T\n`, 1],
  ['+++\nstatus = "cancelled"\n+++\n# T\n', 1],
  [`---yaml\n${FIELDS}---\n# T\n`, 1],
  [`\`\`\`yaml\n${FIELDS}\`\`\`\n# T\n`, 1],
  [`${FIELDS}---\n# T\n`, 1],
  ["--\nDepends-On: [b]\n--\n", 1],
  // These are read as they stand.
  [`---\n${FIELDS}---\n# T\n`, null],
  ["# T\n\n---\nNote: a rule above, and below\n---\n", null],
  ["# T\n\n---\n\nStatus: as text between two rules\n\nMore\n\n---\n", null],
  [`# T\n\nSo it begins:\n\n\`\`\`yaml\n${FIELDS}\`\`\`\n`, null],
  [`# T\n\n\`\`\`markdown\n---\n${FIELDS}---\n\`\`\`\n`, null],
  ["Title: a heading\n---\n\nText\n", null],
  ["- a\n- b\n\n---\n", null],
  [`---\nlayout: x\n---\n\n---\n${FIELDS}---\n# T\n`, null],
  ["+++\nnothing of ours = 1\n+++\n", null],
])("parseDocument takes fields for the frontmatter or says where they stand: %j", (text, line) => {
  const document = parseDocument(text);

  expect(document.ok ? null : document.problem.line).toBe(line);
});

test.each<[body: string, line: number | undefined]>([
  [`---\n${FIELDS}---\n# T\n`, 1],
  [`\n\n----\n${FIELDS}---\n`, 3],
  [`\n---\n\n# T\n\n---\nlabels: in the text\n---\n`, undefined],
  [`# T\n---\n${FIELDS}---\n`, undefined],
  ["---\nNote: ours\n---\n", undefined],
])("findSecondBlock finds fields of planner right below the frontmatter: %j", (body, line) => {
  expect(findSecondBlock(body)).toBe(line);
});

const FOLDER = join(import.meta.dirname, "../../../fixtures/specs");

test("nothing of ordinary spec files is taken for a slip", () => {
  const texts = readdirSync(FOLDER).flatMap((name) =>
    name.endsWith(".md") && name !== "fences.md" ? [readFileSync(join(FOLDER, name), "utf8")] : [],
  );
  for (const text of texts) {
    const document = parseDocument(text);
    if (!document.ok) throw new Error(`${text}: ${document.problem.message}`);
    const found = [
      findNearFields(document.frontmatter),
      readCriteria(document.body).near,
      findSecondBlock(document.body),
    ];
    expect([text, ...found]).toEqual([text, [], [], undefined]);
  }
});

const ID = "2026-11-21-001-abc";

test("findCopiedId knows the copies of synchronisers and editors, and no other file", () => {
  const copies = [
    ".sync-conflict-20261121-101112-ABCDEFG",
    " (Ada's conflicted copy 2026-11-21)",
    " (conflicted copy 2026-11-21 101112)",
    "_conflict-20261121-101112",
    " (Case Conflict)",
    " copy",
    " - Copy",
    " (1)",
    " 2",
    ".orig",
    "_REMOTE_1234",
  ];
  const of = (id: string, written?: string) =>
    findCopiedId({ id, frontmatter: { id: written } }, (known) => known === ID);

  for (const end of copies) expect([end, of(`${ID}${end}`)]).toEqual([end, ID]);
  expect(of("shop.sync-conflict-20261121-101112-ABCDEFG")).toBe("shop");
  expect(of(`${ID}-LAPTOP`, ID)).toBe(ID);
  for (const id of [ID, `${ID}.1`, `${ID}.2.10`, "shop", "copy of the plan", "conflict 2", "2026-11-21-the plan 2"]) {
    expect([id, of(id, id), of(id, "gone")]).toEqual([id, null, null]);
  }
});
