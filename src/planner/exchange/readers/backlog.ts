import { getText, getTexts, pickTextFields } from "../foreign_fields.ts";
import { type ForeignFields, readForeignMarkdown, readForeignYaml } from "../foreign_yaml.ts";
import { refuseUnparsed, type SourceFile, type SourceFormat, type SourceNote, type SourceTask } from "../source.ts";
import {
  parseDay,
  parsePriorityWord,
  parseStatusWord,
  parseTime,
  parseTypeWord,
  type StatusMeaning,
} from "../words.ts";

/** Task folders, finished and archived ones last, so that an id used twice refers to the active task. */
const FOLDERS = ["tasks/", "drafts/", "completed/", "archive/tasks/", "archive/drafts/"] as const;

/** Fields that are copied into the spec although planner does not use them. */
const KEPT = ["milestone", "reporter", "references", "documentation", "parent_task_id"] as const;

/** Comments by which Backlog.md marks its sections. */
const MARKER = /^[ \t]*<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS?):(?:BEGIN|END) -->[ \t]*(?:\r?\n|$)/gm;

/** Reads the tasks of Backlog.md: one Markdown file per task. */
export const backlog: SourceFormat = {
  kind: "backlog",
  name: "Backlog.md",
  folders: ["backlog", ".backlog"],
  readFrom: "`backlog/`",
  leavesOut: "`ordinal`, `updated_date`, milestones, decisions, documents",
  becomes: {
    "`status`, if [these words](#words) lack it":
      "by its place in `config.yml`: the first is pending, the last completed, those between in_progress",
    "`parent_task_id`, `modified_files`": "a member of its parent's spec; `target_files`",
    "`created_date`, `completed_date`": "the day in the spec's id; `completed_at`",
    "`milestone`, `reporter`, `references`, `documentation`": "fields of these names, which planner does not use",
    "`drafts/`": "pending with `approval: { required: true }`: `planner approve` makes them ready",
    "`completed/`, `archive/`": "the archive, with the status that the task has",
  },
  matches: (paths) =>
    paths.some((path) => /^tasks\/[^/]+ - [^/]+\.md$/.test(path)) ||
    (paths.includes("config.yml") && paths.some((path) => path.startsWith("tasks/"))),
  reads: (path) => path === "config.yml" || (isTask(path) && !/(?:^|\/)readme\.md$/i.test(path)),
  read(files) {
    const reading = new Reading(readStatuses(files));
    for (const folder of FOLDERS) {
      for (const file of files) if (isTask(file.path) && file.path.startsWith(folder)) reading.read(file, folder);
    }
    return reading;
  },
};

function isTask(path: string): boolean {
  return FOLDERS.some((folder) => path.startsWith(folder) && /^[^/]+\.md$/i.test(path.slice(folder.length)));
}

function readStatuses(files: readonly SourceFile[]): readonly string[] {
  const config = files.find(({ path }) => path === "config.yml");
  if (config === undefined) return [];
  const fields = readForeignYaml(config.text);
  return "problem" in fields ? [] : getTexts(fields, "statuses");
}

class Reading {
  readonly tasks: SourceTask[] = [];
  readonly notes: SourceNote[] = [];
  readonly #statuses: readonly string[];
  readonly #seen = new Set<string>();

  constructor(statuses: readonly string[]) {
    this.#statuses = statuses;
  }

  read({ path, text }: SourceFile, folder: (typeof FOLDERS)[number]): void {
    const parsed = readForeignMarkdown(text);
    if (!parsed.ok) {
      const { line, column, message } = parsed.problem;
      this.notes.push(refuseUnparsed({ file: path, line }, `column ${column}: ${message}`));
      return;
    }
    const id = getText(parsed, "id") ?? /^([a-z]+-[\d.]+) - /i.exec(path.slice(folder.length))?.[1];
    if (id === undefined) {
      this.notes.push({ file: path, line: 1, reason: "no id", detail: "expected a field id", refused: true });
      return;
    }
    const archived = folder !== "tasks/" && folder !== "drafts/";
    const key = archived && this.#seen.has(id.toUpperCase()) ? `${id}@${folder.slice(0, -1)}` : id;
    this.#seen.add(id.toUpperCase());
    const isDraft = folder.endsWith("drafts/");
    this.tasks.push({
      ...this.#task(parsed, path, id),
      key,
      archived,
      isDraft,
      aliases: isDraft ? [] : listAliases(id),
      body: removeBodyMarkers(parsed.body),
    });
  }

  #task(fields: ForeignFields, file: string, id: string): SourceTask {
    const line = fields.lines.get("id") ?? 1;
    const at = (name: string): number => fields.lines.get(name) ?? line;
    if (fields.values.has("ordinal")) {
      this.#note(file, at("ordinal"), "place on the board", getText(fields, "ordinal") ?? "");
    }
    const type = this.#meaning(fields, file, "type", parseTypeWord);
    const priority = this.#meaning(fields, file, "priority", parsePriorityWord);
    const due = this.#meaning(fields, file, "due_date", parseDay);
    return {
      key: id,
      file,
      line,
      title: getText(fields, "title") ?? id,
      body: "",
      ...this.#status(getText(fields, "status"), file, at("status")),
      type: type.known,
      priority: priority.known,
      assignees: getTexts(fields, "assignee"),
      due: due.known,
      created: parseDay(getText(fields, "created_date")),
      completedAt: parseTime(getText(fields, "completed_date")),
      labels: getTexts(fields, "labels"),
      dependsOn: getTexts(fields, "dependencies"),
      parent: getText(fields, "parent_task_id"),
      targetFiles: getTexts(fields, "modified_files"),
      fields: { ...pickTextFields(fields, KEPT), ...type.kept, ...priority.kept, ...due.kept },
    };
  }

  /** Translates a field's word. A word without a translation is kept as field `origin_<name>` and noted. */
  #meaning<Meaning>(
    fields: ForeignFields,
    file: string,
    name: string,
    meaningOf: (word: string) => Meaning | undefined,
  ): { readonly known?: Meaning; readonly kept?: Record<string, string> } {
    const word = getText(fields, name);
    if (word === undefined) return {};
    const known = meaningOf(word);
    if (known !== undefined) return { known };
    this.#note(file, fields.lines.get(name) ?? 1, `unknown ${name}`, word);
    return { kept: { [`origin_${name}`]: word } };
  }

  /**
   * Translates a status. A status that only this project uses counts by its position among the configured ones: the
   * first is pending, the last is completed, the others are in progress.
   */
  #status(word: string | undefined, file: string, line: number): StatusMeaning {
    if (word === undefined) return { status: "pending" };
    const known = parseStatusWord(word);
    if (known !== undefined) return known;
    const place = this.#statuses.findIndex((status) => status.toLowerCase() === word.toLowerCase());
    if (place === -1) this.#note(file, line, "unknown status, imported as pending", word);
    if (place <= 0) return { status: "pending", originStatus: word };
    return { status: place === this.#statuses.length - 1 ? "completed" : "in_progress", originStatus: word };
  }

  #note(file: string, line: number, reason: string, detail: string): void {
    this.notes.push({ file, line, reason, detail });
  }
}

/** Lists other spellings of an id: `BACK-24.02` is also `24.2`, and `task-24.2` if the prefix was changed. */
function listAliases(id: string): readonly string[] {
  const numbers = /([\d.]+)$/.exec(id)?.[1];
  if (numbers === undefined) return [];
  const plain = numbers.split(".").map(Number).join(".");
  const prefix = id.slice(0, -numbers.length);
  return [numbers, plain, `${prefix}${plain}`, `task-${numbers}`, `task-${plain}`];
}

function removeBodyMarkers(body: string): string {
  return body
    .replace(MARKER, "")
    .replace(/^(#+ Acceptance Criteria) \(Optional\)[ \t]*$/gim, "$1")
    .trim();
}
