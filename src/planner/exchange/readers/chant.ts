import { isDay, readPriority } from "../../spec/planning.ts";
import { specIdParts } from "../../spec/spec_id.ts";
import { fieldsAt, listAt, textAt } from "../foreign_fields.ts";
import { type ForeignFields, type ForeignValue, readForeignMarkdown } from "../foreign_yaml.ts";
import { withoutTitle } from "../sections.ts";
import type { SourceFile, SourceFormat, SourceNote, SourceTask } from "../source.ts";
import { momentOf, statusOf } from "../words.ts";

/** Fields that are read one by one; all others are kept as they are. */
const READ = new Set([
  ...["id", "status", "type", "depends_on", "labels", "target_files", "priority", "assignee", "due", "completed_at"],
  ...["title", "approval", "origin", "informed_by"],
]);

/** Reads the specs of chant, whose ids and files are shaped like planner's: they keep their ids. */
export const chant: SourceFormat = {
  kind: "chant",
  name: "chant",
  folders: [".chant"],
  matches: (paths) => paths.some((path) => isSpec(path)),
  reads: isSpec,
  read(files) {
    const notes: SourceNote[] = [];
    const active = files.filter(({ path }) => path.startsWith("specs/"));
    const archived = files.filter(({ path }) => !path.startsWith("specs/"));
    const ids = new Set(files.map(({ path }) => idOf(path)));
    return { tasks: [...active, ...archived].flatMap((file) => taskOf(file, ids, notes)), notes };
  },
};

function isSpec(path: string): boolean {
  return /^(?:specs|archive)\/(?:.+\/)?[^/]+\.md$/.test(path) && specIdParts(idOf(path)) !== undefined;
}

function idOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1, -".md".length);
}

function taskOf({ path, text }: SourceFile, ids: ReadonlySet<string>, notes: SourceNote[]): readonly SourceTask[] {
  const read = readForeignMarkdown(text);
  if (!read.ok) {
    const { line, column, message } = read.problem;
    notes.push({ file: path, line, reason: "cannot be parsed", detail: `column ${column}: ${message}`, refused: true });
    return [];
  }
  const id = idOf(path);
  const note = (name: string, reason: string, detail: string): void => {
    notes.push({ file: path, line: read.lines.get(name) ?? 1, reason, detail });
  };
  const word = textAt(read, "status") ?? "pending";
  const status = statusOf(word);
  if (status === undefined) note("status", "unknown status, imported as pending", word);
  const { title, rest } = withoutTitle(read.body);
  const due = textAt(read, "due");
  const above = id.includes(".") ? id.slice(0, id.lastIndexOf(".")) : undefined;
  return [
    {
      key: id,
      specId: id,
      file: path,
      line: 1,
      title: title ?? textAt(read, "title") ?? id,
      body: rest,
      ...(status ?? { status: "pending", originStatus: word }),
      type: textAt(read, "type"),
      priority: readPriority(textAt(read, "priority") ?? null) ?? undefined,
      assignees: listAt(read, "assignee"),
      due: due !== undefined && isDay(due) ? due : undefined,
      created: specIdParts(id)?.day,
      completedAt: momentOf(textAt(read, "completed_at")),
      labels: listAt(read, "labels"),
      dependsOn: listAt(read, "depends_on"),
      parent: above !== undefined && ids.has(above) ? above : undefined,
      isOrdered: !read.values.has("depends_on"),
      targetFiles: listAt(read, "target_files"),
      archived: !path.startsWith("specs/"),
      fields: keptFields(read, note),
    },
  ];
}

type Kept = NonNullable<SourceTask["fields"]>;

function keptFields(read: ForeignFields, note: (name: string, reason: string, detail: string) => void): Kept {
  const others = [...read.values.keys()].filter((name) => !READ.has(name));
  const plain = fieldsAt(read, others);
  for (const name of others) {
    if (isMapping(read.values.get(name))) note(name, "field that holds a mapping", name);
  }
  const sources = [...listAt(read, "informed_by"), ...listAt(read, "origin")];
  if (read.values.has("origin")) note("origin", "field origin, kept in informed_by", listAt(read, "origin").join(", "));
  const approval = read.values.get("approval");
  return {
    ...plain,
    ...(sources.length === 0 ? {} : { informed_by: sources }),
    ...(isMapping(approval) ? { approval: approvalOf(approval) } : {}),
  };
}

function isMapping(value: ForeignValue | undefined): value is { readonly [key: string]: ForeignValue } {
  return typeof value === "object" && !Array.isArray(value);
}

function approvalOf(approval: { readonly [key: string]: ForeignValue }): Record<string, string | boolean> {
  const texts = Object.entries(approval).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(texts), required: approval["required"] === "true" };
}
