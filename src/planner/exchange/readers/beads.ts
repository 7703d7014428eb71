import { type JsonRecord, parseJsonLines, readRecords } from "../json_record.ts";
import type { FieldText, SourceFile, SourceFormat, SourceNote, SourceTask } from "../source.ts";
import { buildBody, convertToCriteria, parseStatusWord, parseTypeWord } from "../words.ts";

/** Kinds of links that block a task. All other kinds are mere relations. */
const BLOCKING_LINK_KINDS = new Set(["blocks", "conditional-blocks", "waits-for"]);

/** Priorities by beads' number: 0 is the most urgent, 4 the backlog. */
const PRIORITY_BY_NUMBER = ["critical", "high", "medium", "low", "low"] as const;

/** Types of records that agents store among the issues and that `bd ready` does not list as work. */
const NON_WORK_TYPES = new Set("agent convoy event gate message merge-request molecule rig role slot".split(" "));

const COPIED_FIELDS = ["owner", "external_ref", "defer_until", "estimated_minutes", "spec_id"] as const;

/** Reads the issues of beads: JSON Lines, one issue a line. */
export const beadsFormat: SourceFormat = {
  kind: "beads",
  name: "beads",
  folders: [".beads"],
  readFrom: "`.beads/issues.jsonl`, or a file that `bd export > issues.jsonl` wrote",
  leavesOut: "deleted issues (`tombstone`)",
  becomes: {
    "`description`, `design`, `notes`, `close_reason`, `comments`": "body, one section each",
    "`acceptance_criteria`": "criteria, one a line, unchecked",
    "open with a `defer_until` in the future": "blocked until an import after it",
    "`priority` 0 to 4": "critical, high, medium, low, low",
    "`issue_type`": "epic with parts is driver, words other than [these](#words) code",
    "`blocks`, `conditional-blocks`, `waits-for`": "`depends_on`",
    "`parent-child`; other relations": "the spec is a member of its parent's spec; the field `related`",
    "`ephemeral`, `pinned`, templates, and types such as agent or message":
      "pending with `approval: { required: true }`",
  },
  note: "`planner ready` lists what `bd ready` lists, except issues that have open parts.",
  matchesPaths: (paths) => paths.some((path) => isIssuesFile(path)),
  matchesFile: (name, head) => /\.jsonl$/i.test(name) && /"issue_type"\s*:/.test(head.split("\n", 1)[0] ?? ""),
  readsPath: (path) =>
    /^[^/]+\.jsonl$/i.test(path) && !/^(?:interactions|routes|molecules|deletions)\.jsonl$/.test(path),
  readTasks(files, now) {
    const notes: SourceNote[] = [];
    const records = selectExport(files).map(({ path, text }) => readRecords(path, parseJsonLines(text), notes));
    const tasks = records.flatMap((each) => [...each.map((record) => readTask(record, now))]);
    return { tasks: tasks.filter((task) => task !== undefined), notes };
  },
};

function isIssuesFile(path: string): boolean {
  return path === "issues.jsonl" || path === "beads.jsonl" || path === "beads.base.jsonl";
}

/** Returns only the export of all issues if it exists, because other files repeat its issues. */
function selectExport(files: readonly SourceFile[]): readonly SourceFile[] {
  const issues = ["issues.jsonl", "beads.jsonl"].flatMap((name) => files.filter(({ path }) => path === name));
  return issues.length > 0 ? issues.slice(0, 1) : files;
}

function readTask(record: JsonRecord, now: Date): SourceTask | undefined {
  const id = record.getText("id");
  if (id === undefined) {
    record.addRefusal("no id", "expected a field id");
    return undefined;
  }
  const word = record.getText("status") ?? "open";
  if (word === "tombstone") {
    record.addNote("deleted at the source", id);
    return undefined;
  }
  const status = parseStatusWord(isDeferredIssue(record, word, now) ? "deferred" : word);
  if (status === undefined) record.addNote("unknown status, imported as pending", word);
  const links = readIssueLinks(record);
  const type = record.getText("issue_type");
  const isDraft = isNonWorkRecord(record, type);
  if (isDraft) record.addNote("not offered as work at the source; waits for approval", `${id}: ${type ?? "issue"}`);
  return {
    ...record.location,
    key: id,
    title: record.getText("title") ?? id,
    body: buildBodyText(record),
    ...(status ?? { status: "pending", originStatus: word }),
    type: type === undefined ? undefined : parseTypeWord(type),
    priority: readPriority(record),
    assignees: [record.getText("assignee") ?? ""].filter((name) => name !== ""),
    due: record.getDay("due_at"),
    created: record.getDay("created_at"),
    completedAt: record.getTime("closed_at"),
    labels: record.getTexts("labels"),
    dependsOn: links.waits,
    parent: links.parent,
    isDraft,
    fields: {
      ...pickKeptFields(record),
      ...(type === undefined || parseTypeWord(type) !== undefined || type === "task" ? {} : { origin_type: type }),
      ...(links.related.length === 0 ? {} : { related: links.related }),
    },
  };
}

function readPriority(record: JsonRecord): SourceTask["priority"] {
  const number = record.getText("priority");
  const known = number === undefined ? undefined : PRIORITY_BY_NUMBER[Number(number)];
  if (number !== undefined && known === undefined) record.addNote("unknown priority", number);
  return known;
}

/** Returns whether the issue is open but deferred by `defer_until`; `bd ready` does not list such an issue. */
function isDeferredIssue(record: JsonRecord, word: string, now: Date): boolean {
  const until = record.getText("defer_until");
  return word === "open" && until !== undefined && Date.parse(until) > now.getTime();
}

function isNonWorkRecord(record: JsonRecord, type: string | undefined): boolean {
  return ["ephemeral", "pinned", "is_template"].some((name) => record.isTrue(name)) || NON_WORK_TYPES.has(type ?? "");
}

interface IssueLinks {
  readonly waits: readonly string[];
  readonly related: readonly string[];
  readonly parent: string | undefined;
}

function readIssueLinks(record: JsonRecord): IssueLinks {
  const waits: string[] = [];
  const related: string[] = [];
  let parent = record.getText("parent");
  for (const link of record.getObjects("dependencies")) {
    const other = link.getText("depends_on_id");
    const type = link.getText("type") ?? "blocks";
    if (other === undefined) record.addNote("dependency without an id", type);
    else if (BLOCKING_LINK_KINDS.has(type)) waits.push(other);
    else if (type === "parent-child") parent = other;
    else {
      related.push(`${type} ${other}`);
      record.addNote("relation that is not a dependency, kept in the field related", `${type} ${other}`);
    }
  }
  return { waits, related, parent };
}

function pickKeptFields(record: JsonRecord): Record<string, FieldText> {
  return Object.fromEntries(
    COPIED_FIELDS.flatMap((name) => {
      const text = record.getText(name);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function buildBodyText(record: JsonRecord): string {
  const comments = record
    .getObjects("comments")
    .map(
      (comment) =>
        `**${comment.getText("author") ?? "?"}**, ${comment.getText("created_at") ?? "?"}:\n\n${comment.getText("text") ?? ""}`,
    );
  return buildBody(record.getText("description"), [
    ["Design", record.getText("design")],
    ["Acceptance Criteria", convertToCriteria(record.getText("acceptance_criteria"))],
    ["Notes", record.getText("notes")],
    ["Close Reason", record.getText("close_reason")],
    ["Comments", comments.join("\n\n")],
  ]);
}
