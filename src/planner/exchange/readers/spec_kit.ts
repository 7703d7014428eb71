import type { SourceFormat, SourceNote, SourceTask } from "../source.ts";
import {
  type ChecklistItem,
  computeFeatureStatus,
  createSlug,
  createUniqueKey,
  demoteHeadings,
  FilesByFolder,
  formatTitle,
  parseChecklist,
  parseDay,
  parsePriorityWord,
  splitTitle,
} from "../words.ts";

const FEATURE_FILE_PATTERN = /^(?:[^/]+\/)?(?:spec|plan|tasks)\.md$/;
/** A file path with a folder and an extension in a task's description. */
const FILE_PATH_PATTERN = /(?<![\w/.:-])((?:[\w.@-]+\/)+[\w.@-]+\.\w{1,8})(?![\w/])/g;

/** Reads the features of Spec Kit: one folder per feature, whose tasks become its members. */
export const specKitFormat: SourceFormat = {
  kind: "spec-kit",
  name: "Spec Kit",
  folders: ["specs", ".specify/specs"],
  readFrom: "`specs/<feature>/`; one feature's folder alone too",
  leavesOut: "checklists, research, data models, contracts, the constitution",
  becomes: {
    "a feature, `specs/001-name`":
      "a driver with `origin: spec-kit:001-name`; acceptance scenarios are its criteria, `spec.md` and `plan.md` sections",
    "a task `T014` of `tasks.md`": "a member with `origin: spec-kit:001-name/T014`; ticked is completed",
    "order of the tasks":
      'a member waits for those before it, except others of a run marked `[P]`; "(depends on T012)" too',
    '`[US1]`; "Priority: P1" of the phase': "label `US1`; priority",
    "files named in the text": "`target_files`",
    "`**Created**`, `**Status**` of `spec.md`": "the day in the driver's id; the field `spec_status`",
  },
  matchesPaths: (paths) => paths.some((path) => /^(?:[^/]+\/)?(?:spec|plan)\.md$/.test(path)),
  readsPath: (path) => FEATURE_FILE_PATTERN.test(path) || /^(?:[^/]+\/)?checklists\/[^/]+\.md$/.test(path),
  readTasks(files) {
    const notes: SourceNote[] = [];
    const placed = files.map((file) =>
      FEATURE_FILE_PATTERN.test(file.path) && !file.path.includes("/") ? { ...file, path: `./${file.path}` } : file,
    );
    const folders = new FilesByFolder(placed, /^([^/]+)\/(.+)$/);
    return { tasks: folders.listFolders().flatMap((folder) => readFeature(folder, folders, notes)), notes };
  },
};

function readFeature(folder: string, files: FilesByFolder, notes: SourceNote[]): readonly SourceTask[] {
  const spec = splitTitle(files.findText(folder, "spec.md") ?? "");
  const list = files.findText(folder, "tasks.md") ?? "";
  const title = (spec.title ?? "").replace(/^feature specification\s*:\s*/i, "").trim();
  const feature = folder === "." ? createSlug(title === "" ? "feature" : title) : folder;
  const prefix = folder === "." ? "" : `${folder}/`;
  for (const name of files.listFileNames(folder).filter((one) => one.startsWith("checklists/"))) {
    notes.push({ file: `${prefix}${name}`, line: 1, reason: "checklist beside the tasks", detail: feature });
  }
  const tasks = new SpecKitTaskList(feature, `${prefix}tasks.md`).buildTasks(parseChecklist(list));
  if (tasks.length === 0)
    notes.push({
      file: files.findFirstPath(folder) ?? folder,
      line: 1,
      reason: "feature without tasks",
      detail: feature,
    });
  const state = /^\*\*Status\*\*:\s*(.+?)\s*$/m.exec(spec.rest)?.[1];
  const driver: SourceTask = {
    key: feature,
    file: files.hasFile(folder, "spec.md") ? `${prefix}spec.md` : (files.findFirstPath(folder) ?? folder),
    line: 1,
    title: title === "" ? formatTitle(feature) : title,
    body: buildBodyText(spec.rest, files.findText(folder, "plan.md") ?? ""),
    status: computeFeatureStatus(tasks),
    type: "driver",
    created: parseDay(/^\*\*Created\*\*:\s*(\S+)/m.exec(spec.rest)?.[1]),
    fields: state === undefined ? {} : { spec_status: state },
  };
  return [driver, ...tasks];
}

/** A feature's tasks. Each waits for the one before it; consecutive `[P]` tasks all wait for the one before the first. */
class SpecKitTaskList {
  readonly #feature: string;
  readonly #file: string;
  readonly #keys = new Set<string>();
  /** Keys of the tasks that the current sequence of parallel tasks waits for, and keys of that sequence. */
  #awaitedKeys: readonly string[] = [];
  #parallelKeys: string[] = [];
  #phase = "";

  constructor(feature: string, file: string) {
    this.#feature = feature;
    this.#file = file;
  }

  buildTasks(items: readonly ChecklistItem[]): readonly SourceTask[] {
    return items.map((item) => this.#buildTask(item));
  }

  #buildTask(item: ChecklistItem): SourceTask {
    const [, id, rest = ""] = /^\**(T\d+[a-z]?)\**:?\s+(.*)$/.exec(item.text) ?? [undefined, undefined, item.text];
    const marks = [...rest.matchAll(/\[(P|US\d+)\]/g)].map(([, mark = ""]) => mark);
    const title = rest.replaceAll(/\[(?:P|US\d+)\]\s*/g, "").trim();
    const key = createUniqueKey(`${this.#feature}/${id ?? createSlug(item.text)}`, this.#keys);
    const story = marks.find((mark) => mark.startsWith("US"));
    const phase = item.headings.find((heading) => /^phase\b/i.test(heading)) ?? item.headings[0] ?? "";
    return {
      key,
      file: this.#file,
      line: item.line,
      title: title === "" ? key : title,
      body: item.details,
      status: item.mark === "x" ? "completed" : item.mark === "-" ? "in_progress" : "pending",
      priority: parsePriorityWord(/priority\s*:?\s*(P\d)/i.exec(phase)?.[1] ?? ""),
      labels: story === undefined ? [] : [story],
      targetFiles: [...title.matchAll(FILE_PATH_PATTERN)].map(([, path = ""]) => path),
      parent: this.#feature,
      ...this.#determineTaskOrder(key, {
        isParallel: marks.includes("P"),
        phase,
        declared: this.#findDeclaredDependencies(title),
      }),
    };
  }

  /** Finds the tasks named in a phrase such as "(depends on T012, T013)". */
  #findDeclaredDependencies(title: string): readonly string[] {
    const listed = /depends on ((?:T\d+[a-z]?(?:\s*(?:,|and|&)\s*)?)+)/i.exec(title)?.[1] ?? "";
    return [...listed.matchAll(/T\d+[a-z]?/g)].map(([id]) => `${this.#feature}/${id}`);
  }

  #determineTaskOrder(
    key: string,
    { isParallel, phase, declared }: { isParallel: boolean; phase: string; declared: readonly string[] },
  ): Pick<SourceTask, "isOrdered" | "dependsOn"> {
    const isNewRun = !isParallel || this.#parallelKeys.length === 0 || phase !== this.#phase;
    this.#phase = phase;
    if (isNewRun) {
      if (this.#parallelKeys.length > 0) this.#awaitedKeys = this.#parallelKeys;
      this.#parallelKeys = [];
    }
    const before = this.#awaitedKeys;
    if (isParallel) this.#parallelKeys.push(key);
    else this.#awaitedKeys = [key];
    if (isNewRun && declared.length === 0) return { isOrdered: true, dependsOn: [] };
    return { isOrdered: false, dependsOn: [...new Set([...declared, ...before])] };
  }
}

function buildBodyText(spec: string, plan: string): string {
  const criteria = findScenarios(spec);
  const parts = [
    criteria.length === 0 ? "" : `## Acceptance Criteria\n\n${criteria.map((text) => `- [ ] ${text}`).join("\n")}`,
    spec.trim() === "" ? "" : `## Specification\n\n${demoteHeadings(spec, 3).trim()}`,
    plan.trim() === "" ? "" : `## Plan\n\n${demoteHeadings(splitTitle(plan).rest, 3).trim()}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Finds the acceptance scenarios of the user stories (US), numbered within each: `US1.2 Given …`. */
function findScenarios(spec: string): readonly string[] {
  const found: string[] = [];
  let story = "";
  for (const line of spec.split(/\r\n|\n|\r/)) {
    const number = /^#{1,6}\s+User Story\s+(\d+)/i.exec(line)?.[1];
    if (number !== undefined) story = `US${number}.`;
    const [, at, text] = /^\s*(\d+)[.)]\s+(\**Given\b.*)$/i.exec(line) ?? [];
    if (at !== undefined && text !== undefined) found.push(`${story}${at} ${text.trim()}`);
  }
  return found;
}
