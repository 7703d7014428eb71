import { isCalendarDay, parsePriority } from "../../spec/spec.ts";
import { parseSpecIdParts } from "../../spec/spec_id.ts";
import {
  type ForeignFields,
  type ForeignValue,
  getFieldText,
  getFieldTexts,
  pickTextFields,
  readForeignMarkdown,
} from "../foreign_yaml.ts";
import { refuseUnparsed, type SourceFile, type SourceFormat, type SourceNote, type SourceTask } from "../source.ts";
import { parseStatusWord, parseTime, splitTitle } from "../words.ts";

/** Names of the fields that are read one by one; all others are copied. */
const HANDLED_FIELDS = new Set([
  ...["id", "status", "type", "depends_on", "labels", "target_files", "priority", "assignee", "due", "completed_at"],
  ...["title", "approval", "origin", "informed_by"],
]);

/** Reads the specs of chant. They keep their ids, because chant's ids and files have planner's form. */
export const chantFormat: SourceFormat = {
  kind: "chant",
  name: "chant",
  folders: [".chant"],
  readFrom: "`.chant/specs/`, `.chant/archive/`",
  leavesOut: "fields that hold a mapping, prompts, templates, logs, settings",
  becomes: {
    "id, fields": "kept as they are; `origin: chant:<id>` is added, `origin` of research becomes `informed_by`",
    "paused; ready": "in_progress; pending",
  },
  note: "Tried with the 872 specs of chant's own history: status, type, labels, target files and criteria were equal.",
  matchesPaths: (paths) => paths.some((path) => isSpecFile(path)),
  readsPath: isSpecFile,
  readTasks(files) {
    const notes: SourceNote[] = [];
    const active = files.filter(({ path }) => path.startsWith("specs/"));
    const archived = files.filter(({ path }) => !path.startsWith("specs/"));
    const ids = new Set(files.map(({ path }) => parseSpecId(path)));
    return { tasks: [...active, ...archived].flatMap((file) => readTask(file, ids, notes)), notes };
  },
};

function isSpecFile(path: string): boolean {
  return /^(?:specs|archive)\/(?:.+\/)?[^/]+\.md$/.test(path) && parseSpecIdParts(parseSpecId(path)) !== undefined;
}

function parseSpecId(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1, -".md".length);
}

function readTask({ path, text }: SourceFile, ids: ReadonlySet<string>, notes: SourceNote[]): readonly SourceTask[] {
  const read = readForeignMarkdown(text);
  if (!read.ok) {
    const { line, column, message } = read.problem;
    notes.push(refuseUnparsed({ file: path, line }, `column ${column}: ${message}`));
    return [];
  }
  const id = parseSpecId(path);
  const note = (name: string, reason: string, detail: string): void => {
    notes.push({ file: path, line: read.lines.get(name) ?? 1, reason, detail });
  };
  const word = getFieldText(read, "status") ?? "pending";
  const status = parseStatusWord(word);
  if (status === undefined) note("status", "unknown status, imported as pending", word);
  const { title, rest } = splitTitle(read.body);
  const due = getFieldText(read, "due");
  const above = id.includes(".") ? id.slice(0, id.lastIndexOf(".")) : undefined;
  return [
    {
      key: id,
      specId: id,
      file: path,
      line: 1,
      title: title ?? getFieldText(read, "title") ?? id,
      body: rest,
      ...(status ?? { status: "pending", originStatus: word }),
      type: getFieldText(read, "type"),
      priority: parsePriority(getFieldText(read, "priority") ?? null) ?? undefined,
      assignees: getFieldTexts(read, "assignee"),
      due: due !== undefined && isCalendarDay(due) ? due : undefined,
      created: parseSpecIdParts(id)?.day,
      completedAt: parseTime(getFieldText(read, "completed_at")),
      labels: getFieldTexts(read, "labels"),
      dependsOn: getFieldTexts(read, "depends_on"),
      parent: above !== undefined && ids.has(above) ? above : undefined,
      isOrdered: !read.values.has("depends_on"),
      targetFiles: getFieldTexts(read, "target_files"),
      archived: !path.startsWith("specs/"),
      fields: pickKeptFields(read, note),
    },
  ];
}

type AdditionalFields = NonNullable<SourceTask["fields"]>;

function pickKeptFields(
  read: ForeignFields,
  note: (name: string, reason: string, detail: string) => void,
): AdditionalFields {
  const others = [...read.values.keys()].filter((name) => !HANDLED_FIELDS.has(name));
  const plain = pickTextFields(read, others);
  for (const name of others) {
    if (isMapping(read.values.get(name))) note(name, "field that holds a mapping", name);
  }
  const sources = [...getFieldTexts(read, "informed_by"), ...getFieldTexts(read, "origin")];
  if (read.values.has("origin"))
    note("origin", "field origin, kept in informed_by", getFieldTexts(read, "origin").join(", "));
  const approval = read.values.get("approval");
  return {
    ...plain,
    ...(sources.length === 0 ? {} : { informed_by: sources }),
    ...(isMapping(approval) ? { approval: readApproval(approval) } : {}),
  };
}

function isMapping(value: ForeignValue | undefined): value is { readonly [key: string]: ForeignValue } {
  return typeof value === "object" && !Array.isArray(value);
}

function readApproval(approval: { readonly [key: string]: ForeignValue }): Record<string, string | boolean> {
  const texts = Object.entries(approval).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(texts), required: approval["required"] === "true" };
}
