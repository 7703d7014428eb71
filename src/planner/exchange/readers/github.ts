import { getNodeValue } from "jsonc-parser";
import { isJsonObject } from "#kernel/json_object.ts";
import { visitUnfencedLines } from "../../spec/sections.ts";
import {
  type JsonProblem,
  type JsonRecord,
  type LocatedValue,
  listElements,
  parseJsonLines,
  parseJsonWithLines,
  readRecords,
} from "../json_record.ts";
import type { SourceFile, SourceFormat, SourceNote, SourceTask } from "../source.ts";
import { buildBody, parsePriorityWord, parseTypeWord } from "../words.ts";

/** A line that states the issues on which an issue depends. */
const DEPENDENCY_LINE_PATTERN = /^[\s>*-]*\**(?:blocked by|depends on)\**:?\**\s+(.*)$/i;
const ISSUE_REFERENCE_PATTERN =
  /(?:\b([\w.-]+\/[\w.-]+))?#(\d+)|https:\/\/github\.com\/([\w.-]+\/[\w.-]+)\/issues\/(\d+)/g;

/** Reads GitHub issues from the output of `gh issue list --json …` or of the REST API. */
export const githubFormat: SourceFormat = {
  kind: "github",
  name: "GitHub issues",
  folders: [],
  readFrom: "a file that `gh issue list --json` or the REST API printed",
  leavesOut: "pull requests, reactions, projects, dependencies that only GitHub's own page shows",
  becomes: {
    number: "`origin: github:<owner>/<repository>#12`, or `github:#12` without `url`",
    "`body`, `comments`": "body, section `Comments`; checkboxes of the body are criteria",
    "open; closed; closed as not planned or duplicate": "pending; completed; cancelled",
    "`labels`":
      "`labels`; `priority: high`, `priority/P1` or `P1` also set `priority`, and `bug`, `documentation`, `epic` and the like the type",
    "`milestone`": "the field `milestone`; its day is `due`",
    'a line "Blocked by #12" or "Depends on #12"; parent issue':
      "`depends_on`; the spec is a member of its parent's spec",
  },
  matchesPaths: () => false,
  matchesFile: (name, head) =>
    /\.jsonl?$/i.test(name) && /"number"\s*:/.test(head) && /"title"\s*:/.test(head) && !/"issue_type"\s*:/.test(head),
  readsPath: (path) => /^[^/]+\.jsonl?$/i.test(path),
  readTasks(files) {
    const notes: SourceNote[] = [];
    const issues = files.flatMap((file) => [...readRecords(file.path, readValues(file), notes)]);
    return { tasks: issues.map((record) => readTask(record)).filter((task) => task !== undefined), notes };
  },
};

/** Returns the issues of a list, of pages of a list (`gh api --slurp`), of a search's `items`, or of JSON Lines. */
function readValues({ path, text }: SourceFile): Iterable<LocatedValue | JsonProblem> {
  if (/\.jsonl$/i.test(path)) return parseJsonLines(text);
  const json = parseJsonWithLines(text);
  if ("message" in json) return [json];
  const { root } = json;
  if (root.type === "array") {
    const nodes = root.children ?? [];
    return nodes.flatMap((node) =>
      node.type === "array" ? listElements(node, json) : [{ value: getNodeValue(node), line: json.findLine(node) }],
    );
  }
  const value: unknown = getNodeValue(root);
  const items = isJsonObject(value) && Array.isArray(value["items"]) ? value["items"] : [value];
  return items.map((item) => ({ value: item, line: 1 }));
}

function readTask(record: JsonRecord): SourceTask | undefined {
  const number = record.getText("number");
  if (number === undefined) {
    record.addRefusal("no id", "expected a field number");
    return undefined;
  }
  if (record.hasValue("pull_request") || record.isTrue("isPullRequest")) {
    record.addNote("pull request", `#${number}`);
    return undefined;
  }
  const url = record.getText("html_url") ?? record.getText("url");
  const repository = /([\w.-]+\/[\w.-]+)\/issues\/\d+$/.exec(url ?? "")?.[1];
  const nameOf = (other: string | undefined, id: string): string =>
    (other ?? repository) === undefined ? `#${id}` : `${other ?? repository}#${id}`;
  const labels = record.getTexts("labels", "name");
  const body = record.getText("body");
  const milestone = record.getObject("milestone");
  const type = record.getObject("type")?.getText("name") ?? record.getObject("issueType")?.getText("name");
  return {
    ...record.location,
    key: nameOf(undefined, number),
    title: record.getText("title") ?? `#${number}`,
    body: buildBody(body, [["Comments", formatComments(record)]]),
    ...readStatus(record),
    type: [type ?? "", ...labels].map(parseTypeWord).find((known) => known !== undefined),
    priority: labels.map(parsePriorityLabel).find((known) => known !== undefined),
    assignees: record.getTexts("assignees", "login"),
    due: milestone?.getDay("dueOn", "due_on"),
    created: record.getDay("createdAt", "created_at"),
    completedAt: record.getTime("closedAt", "closed_at"),
    labels,
    dependsOn: findDependencies(body ?? "", nameOf),
    parent: readParent(record, nameOf),
    fields: {
      ...(url === undefined ? {} : { url }),
      ...(milestone?.getText("title") === undefined ? {} : { milestone: milestone.getText("title") ?? "" }),
    },
  };
}

function readStatus(record: JsonRecord): Pick<SourceTask, "status" | "originStatus"> {
  const state = record.getText("state")?.toLowerCase() ?? (record.isTrue("closed") ? "closed" : "open");
  const reason = (record.getText("stateReason") ?? record.getText("state_reason") ?? "").toLowerCase();
  if (state !== "closed" && state !== "open") {
    record.addNote("unknown status, imported as pending", state);
    return { status: "pending", originStatus: state };
  }
  if (state === "open") return { status: "pending" };
  if (reason === "not_planned" || reason === "duplicate") return { status: "cancelled", originStatus: reason };
  return { status: "completed" };
}

/** Parses a label such as `priority: high`, `priority/P1` or `P0`. */
function parsePriorityLabel(label: string): ReturnType<typeof parsePriorityWord> {
  const named = /^(?:priority|prio|p)\s*[:/\-_ ]\s*(.+)$/i.exec(label)?.[1];
  return named === undefined
    ? /^p[0-4]$/i.test(label)
      ? parsePriorityWord(label)
      : undefined
    : parsePriorityWord(named);
}

type FormatIssueKey = (repository: string | undefined, id: string) => string;

function findDependencies(body: string, formatIssueKey: FormatIssueKey): readonly string[] {
  const found: string[] = [];
  visitUnfencedLines(body, ({ text }) => {
    const listed = DEPENDENCY_LINE_PATTERN.exec(text)?.[1];
    for (const [, other, id, linked, linkedId] of (listed ?? "").matchAll(ISSUE_REFERENCE_PATTERN)) {
      found.push(formatIssueKey(other ?? linked, id ?? linkedId ?? ""));
    }
    return false;
  });
  return found;
}

function readParent(record: JsonRecord, nameOf: FormatIssueKey): string | undefined {
  const url = record.getText("parent_issue_url");
  const fromUrl = /([\w.-]+\/[\w.-]+)\/issues\/(\d+)$/.exec(url ?? "");
  if (fromUrl !== null) return nameOf(fromUrl[1], fromUrl[2] ?? "");
  const number = record.getObject("parent")?.getText("number");
  return number === undefined ? undefined : nameOf(undefined, number);
}

function formatComments(record: JsonRecord): string | undefined {
  if (!Array.isArray(record.getValue("comments"))) return undefined;
  return record
    .getObjects("comments")
    .map((comment) => {
      const who = comment.getObject("author")?.getText("login") ?? comment.getObject("user")?.getText("login") ?? "?";
      const when = comment.getText("createdAt") ?? comment.getText("created_at") ?? "?";
      return `**${who}**, ${when}:\n\n${comment.getText("body") ?? ""}`;
    })
    .join("\n\n");
}
