import {
  type ForeignFields,
  getFieldText,
  getFieldTexts,
  pickTextFields,
  readForeignMarkdown,
  readForeignYaml,
} from "../foreign_yaml.ts";
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
const TASK_FOLDERS = ["tasks/", "drafts/", "completed/", "archive/tasks/", "archive/drafts/"] as const;

/** Fields that are copied into the spec although planner does not use them. */
const COPIED_FIELDS = ["milestone", "reporter", "references", "documentation", "parent_task_id"] as const;

/** Comments by which Backlog.md marks its sections. */
const SECTION_MARKER_PATTERN = /^[ \t]*<!-- (?:SECTION:[A-Z_]+|AC|DOD|COMMENTS?):(?:BEGIN|END) -->[ \t]*(?:\r?\n|$)/gm;

/** Reads the tasks of Backlog.md: one Markdown file per task. */
export const backlogFormat: SourceFormat = {
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
  matchesPaths: (paths) =>
    paths.some((path) => /^tasks\/[^/]+ - [^/]+\.md$/.test(path)) ||
    (paths.includes("config.yml") && paths.some((path) => path.startsWith("tasks/"))),
  readsPath: (path) => path === "config.yml" || (isTaskPath(path) && !/(?:^|\/)readme\.md$/i.test(path)),
  readTasks(files) {
    const reading = new BacklogReading(readStatuses(files));
    for (const folder of TASK_FOLDERS) {
      for (const file of files)
        if (isTaskPath(file.path) && file.path.startsWith(folder)) reading.readFile(file, folder);
    }
    return reading;
  },
};

function isTaskPath(path: string): boolean {
  return TASK_FOLDERS.some((folder) => path.startsWith(folder) && /^[^/]+\.md$/i.test(path.slice(folder.length)));
}

function readStatuses(files: readonly SourceFile[]): readonly string[] {
  const config = files.find(({ path }) => path === "config.yml");
  if (config === undefined) return [];
  const fields = readForeignYaml(config.text);
  return "problem" in fields ? [] : getFieldTexts(fields, "statuses");
}

class BacklogReading {
  readonly tasks: SourceTask[] = [];
  readonly notes: SourceNote[] = [];
  readonly #statuses: readonly string[];
  readonly #seen = new Set<string>();

  constructor(statuses: readonly string[]) {
    this.#statuses = statuses;
  }

  readFile({ path, text }: SourceFile, folder: (typeof TASK_FOLDERS)[number]): void {
    const parsed = readForeignMarkdown(text);
    if (!parsed.ok) {
      const { line, column, message } = parsed.problem;
      this.notes.push(refuseUnparsed({ file: path, line }, `column ${column}: ${message}`));
      return;
    }
    const id = getFieldText(parsed, "id") ?? /^([a-z]+-[\d.]+) - /i.exec(path.slice(folder.length))?.[1];
    if (id === undefined) {
      this.notes.push({ file: path, line: 1, reason: "no id", detail: "expected a field id", refused: true });
      return;
    }
    const archived = folder !== "tasks/" && folder !== "drafts/";
    const key = archived && this.#seen.has(id.toUpperCase()) ? `${id}@${folder.slice(0, -1)}` : id;
    this.#seen.add(id.toUpperCase());
    const isDraft = folder.endsWith("drafts/");
    this.tasks.push({
      ...this.#buildTask(parsed, path, id),
      key,
      archived,
      isDraft,
      aliases: isDraft ? [] : listAliases(id),
      body: removeBodyMarkers(parsed.body),
    });
  }

  #buildTask(fields: ForeignFields, file: string, id: string): SourceTask {
    const line = fields.lines.get("id") ?? 1;
    const at = (name: string): number => fields.lines.get(name) ?? line;
    if (fields.values.has("ordinal")) {
      this.#addNote(file, at("ordinal"), "place on the board", getFieldText(fields, "ordinal") ?? "");
    }
    const type = this.#translateField(fields, file, "type", parseTypeWord);
    const priority = this.#translateField(fields, file, "priority", parsePriorityWord);
    const due = this.#translateField(fields, file, "due_date", parseDay);
    return {
      key: id,
      file,
      line,
      title: getFieldText(fields, "title") ?? id,
      body: "",
      ...this.#translateStatus(getFieldText(fields, "status"), file, at("status")),
      type: type.known,
      priority: priority.known,
      assignees: getFieldTexts(fields, "assignee"),
      due: due.known,
      created: parseDay(getFieldText(fields, "created_date")),
      completedAt: parseTime(getFieldText(fields, "completed_date")),
      labels: getFieldTexts(fields, "labels"),
      dependsOn: getFieldTexts(fields, "dependencies"),
      parent: getFieldText(fields, "parent_task_id"),
      targetFiles: getFieldTexts(fields, "modified_files"),
      fields: { ...pickTextFields(fields, COPIED_FIELDS), ...type.kept, ...priority.kept, ...due.kept },
    };
  }

  /** Translates a field's word. A word without a translation is kept as field `origin_<name>` and noted. */
  #translateField<Meaning>(
    fields: ForeignFields,
    file: string,
    name: string,
    meaningOf: (word: string) => Meaning | undefined,
  ): { readonly known?: Meaning; readonly kept?: Record<string, string> } {
    const word = getFieldText(fields, name);
    if (word === undefined) return {};
    const known = meaningOf(word);
    if (known !== undefined) return { known };
    this.#addNote(file, fields.lines.get(name) ?? 1, `unknown ${name}`, word);
    return { kept: { [`origin_${name}`]: word } };
  }

  /**
   * Translates a status. A status that only this project uses counts by its position among the configured ones: the
   * first is pending, the last is completed, the others are in progress.
   */
  #translateStatus(word: string | undefined, file: string, line: number): StatusMeaning {
    if (word === undefined) return { status: "pending" };
    const known = parseStatusWord(word);
    if (known !== undefined) return known;
    const place = this.#statuses.findIndex((status) => status.toLowerCase() === word.toLowerCase());
    if (place === -1) this.#addNote(file, line, "unknown status, imported as pending", word);
    if (place <= 0) return { status: "pending", originStatus: word };
    return { status: place === this.#statuses.length - 1 ? "completed" : "in_progress", originStatus: word };
  }

  #addNote(file: string, line: number, reason: string, detail: string): void {
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
    .replace(SECTION_MARKER_PATTERN, "")
    .replace(/^(#+ Acceptance Criteria) \(Optional\)[ \t]*$/gim, "$1")
    .trim();
}
