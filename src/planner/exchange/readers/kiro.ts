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
  splitTitle,
} from "../words.ts";

/** Reads the specs of Kiro: one folder per feature, whose tasks become its ordered members. */
export const kiroFormat: SourceFormat = {
  kind: "kiro",
  name: "Kiro",
  folders: [".kiro/specs", "specs"],
  readFrom: "`.kiro/specs/<feature>/`; one feature's folder alone too",
  leavesOut: "steering files, hooks, settings",
  becomes: {
    "a feature, `.kiro/specs/<name>`":
      "a driver with `origin: kiro:<name>`; `requirements.md` and `design.md` are sections",
    "acceptance criteria of `requirements.md`": "the driver's criteria, `2.1 WHEN …`, unchecked",
    "a task `2.1` of `tasks.md`":
      "a member, `origin: kiro:<name>/2.1`; tasks below it are its members, and it waits for those before it",
    "`[x]`, `[-]`, `[ ]`": "completed, in_progress, pending",
    "optional, `- [ ]*`":
      "label `optional` and `approval: { required: true }`: `planner approve` makes it ready, `planner cancel` skips it",
  },
  note: "A task with tasks below it waits for all of them: cancel those that you skip.",
  matchesPaths: (paths) =>
    paths.some((path) => /(?:^|\/)(?:requirements|bugfix)\.md$/.test(path) && path.split("/").length <= 2),
  readsPath: (path) => /^(?:[^/]+\/)?(?:requirements|bugfix|design|tasks)\.md$/.test(path),
  readTasks(files) {
    const notes: SourceNote[] = [];
    // If the source is the folder of one feature, its files have no folder in their path.
    const placed = files.map((file) => (file.path.includes("/") ? file : { ...file, path: `./${file.path}` }));
    const folders = new FilesByFolder(placed, /^([^/]+)\/([^/]+)$/);
    return { tasks: folders.listFolders().flatMap((folder) => readFeature(folder, folders, notes)), notes };
  },
};

function readFeature(folder: string, files: FilesByFolder, notes: SourceNote[]): readonly SourceTask[] {
  const requirements = files.findText(folder, "requirements.md") ?? files.findText(folder, "bugfix.md") ?? "";
  const list = files.findText(folder, "tasks.md") ?? "";
  const feature = folder === "." ? (splitTitle(list).title ?? "feature") : folder;
  const prefix = folder === "." ? "" : `${folder}/`;
  const file = `${prefix}tasks.md`;
  const items = parseChecklist(list);
  if (items.length === 0)
    notes.push({
      file: files.findFirstPath(folder) ?? folder,
      line: 1,
      reason: "feature without tasks",
      detail: feature,
    });
  const tasks = new KiroTaskList(feature, file, items).buildTasks();
  const driver: SourceTask = {
    key: feature,
    file: items.length === 0 ? (files.findFirstPath(folder) ?? folder) : file,
    line: 1,
    title: formatTitle(feature),
    body: buildBodyText(requirements, files.findText(folder, "design.md") ?? ""),
    status: computeFeatureStatus(tasks),
    type: files.hasFile(folder, "bugfix.md") && tasks.length === 0 ? "fix" : "driver",
  };
  return [driver, ...tasks];
}

/** Assigns keys, parents and order to the tasks of one list. */
class KiroTaskList {
  readonly #feature: string;
  readonly #file: string;
  readonly #items: readonly ChecklistItem[];
  readonly #keys = new Set<string>();
  /** By parent: key of the last required task, and whether an optional task came before. */
  readonly #previousTasks = new Map<string, { required: string | undefined; optional: boolean }>();

  constructor(feature: string, file: string, items: readonly ChecklistItem[]) {
    this.#feature = feature;
    this.#file = file;
    this.#items = items;
  }

  buildTasks(): readonly SourceTask[] {
    const above: { indent: number; key: string }[] = [];
    return this.#items.map((item) => {
      const [, number, rest] = /^(\d+(?:\.\d+)*)\.?\s+(.*)$/.exec(item.text) ?? [];
      const key = createUniqueKey(`${this.#feature}/${number ?? createSlug(item.text)}`, this.#keys);
      while ((above.at(-1)?.indent ?? -1) >= item.indent) above.pop();
      const parent = this.#findNumberedParent(number) ?? above.at(-1)?.key ?? this.#feature;
      above.push({ indent: item.indent, key });
      return {
        ...this.#buildTask(item, rest ?? item.text),
        key,
        parent,
        ...this.#determineTaskOrder(key, parent, item),
      };
    });
  }

  /** Returns the key of task 2 for the number 2.1, regardless of indentation; undefined if there is no such task. */
  #findNumberedParent(number: string | undefined): string | undefined {
    if (number === undefined || !number.includes(".")) return undefined;
    const key = `${this.#feature}/${number.slice(0, number.lastIndexOf("."))}`;
    return this.#keys.has(key) ? key : undefined;
  }

  #buildTask(item: ChecklistItem, title: string): Omit<SourceTask, "key"> {
    const status = item.mark === "x" ? "completed" : item.mark === "-" ? "in_progress" : "pending";
    return {
      file: this.#file,
      line: item.line,
      title,
      body: item.details,
      status,
      ...(item.isOptional ? { labels: ["optional"], isDraft: status === "pending" } : {}),
    };
  }

  /** Orders a task after the previous required one; no task waits for an optional one. */
  #determineTaskOrder(
    key: string,
    parent: string,
    { isOptional }: ChecklistItem,
  ): Pick<SourceTask, "isOrdered" | "dependsOn"> {
    const before = this.#previousTasks.get(parent) ?? { required: undefined, optional: false };
    const isOrdered = !before.optional && !isOptional;
    const dependsOn = isOrdered || before.required === undefined ? [] : [before.required];
    this.#previousTasks.set(parent, {
      required: isOptional ? before.required : key,
      optional: before.optional || isOptional,
    });
    return { isOrdered, dependsOn };
  }
}

function buildBodyText(requirements: string, design: string): string {
  const criteria = findCriteria(requirements);
  const parts = [
    criteria.length === 0 ? "" : `## Acceptance Criteria\n\n${criteria.map((text) => `- [ ] ${text}`).join("\n")}`,
    requirements.trim() === "" ? "" : `## Requirements\n\n${demoteHeadings(splitTitle(requirements).rest, 3).trim()}`,
    design.trim() === "" ? "" : `## Design\n\n${demoteHeadings(splitTitle(design).rest, 3).trim()}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Finds numbered lines under "Acceptance Criteria", each prefixed with its requirement's number: `2.1 WHEN …`. */
function findCriteria(requirements: string): readonly string[] {
  const found: string[] = [];
  let requirement = "";
  let isInside = false;
  for (const line of requirements.split(/\r\n|\n|\r/)) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      isInside = /^acceptance criteria/i.test(heading);
      const number = /requirement\s+(\d+)/i.exec(heading)?.[1] ?? /^(\d+)[.:]/.exec(heading)?.[1];
      if (!isInside && number !== undefined) requirement = `${number}.`;
      continue;
    }
    const [, number, text] = (isInside && /^\s{0,3}(\d+)[.)]\s+(.*)$/.exec(line)) || [];
    if (number !== undefined && text !== undefined) found.push(`${requirement}${number} ${text.trim()}`);
  }
  return found;
}
