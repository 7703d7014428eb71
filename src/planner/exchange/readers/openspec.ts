import { type ForeignFields, getFieldText, getFieldTexts, NO_FIELDS, readForeignYaml } from "../foreign_yaml.ts";
import type { SourceFormat, SourceNote, SourceTask } from "../source.ts";
import { demoteHeadings, FilesByFolder, formatTitle, parseDay, parseTime, splitTitle } from "../words.ts";

/** A line that OpenSpec counts as a task: anywhere, with either list mark, with or without a blank after the box. */
const TASK_LINE_PATTERN = /^(\s*)[-*]\s*\[([\sxX])\][ \t]*(.*)$/gm;

/** Reads the changes of OpenSpec: one folder per change, whose tasks become criteria. */
export const openspecFormat: SourceFormat = {
  kind: "openspec",
  name: "OpenSpec",
  folders: ["openspec"],
  readFrom: "`openspec/changes/`",
  leavesOut: "`openspec/specs`, which say how the program is; `project.md`, settings",
  becomes: {
    "a change, `changes/<name>`":
      "a spec with `origin: openspec:<name>`; it keeps that name when the change is archived",
    "`proposal.md`, `tasks.md`": "heading and body; section `Acceptance Criteria`",
    "`design.md`, deltas below `specs/`": "sections `Design` and `Specification of …`",
    "no task ticked, some, all; without tasks": "pending, in_progress, completed; pending and reported",
    "`changes/archive/<day>-<name>`": "completed and archived, `completed_at` that day",
    "`.openspec.yaml`: `created`, `dependsOn`": "the day in the spec's id, `depends_on`",
  },
  matchesPaths: (paths) => paths.some((path) => /^changes\/(?:archive\/)?[^/]+\/(?:proposal|tasks)\.md$/.test(path)),
  readsPath: (path) => /^changes\/.+\.(?:md|yaml)$/.test(path),
  readTasks(files) {
    const notes: SourceNote[] = [];
    const active = new FilesByFolder(files, /^(changes\/(?!archive\/)[^/]+)\/(.+)$/);
    const archived = new FilesByFolder(files, /^(changes\/archive\/[^/]+)\/(.+)$/);
    const names = new Set(active.listFolders().map((folder) => parseChangeName(folder).name));
    const tasks = active.listFolders().map((folder) => readTask(folder, active, parseChangeName(folder), notes));
    for (const folder of archived.listFolders()) {
      const { name, day } = parseChangeName(folder);
      const key = names.has(name) ? folder.slice("changes/archive/".length) : name;
      names.add(key);
      const task = readTask(folder, archived, { name: key, day }, notes);
      const fields = { status: "completed", archived: true, completedAt: parseTime(day) } as const;
      tasks.push({ ...task, ...fields, created: task.created ?? parseDay(day) });
    }
    return { tasks, notes };
  },
};

interface ChangeName {
  readonly name: string;
  readonly day: string | undefined;
}

/** Splits a folder's name into day and name of the change: archiving puts the day first. */
function parseChangeName(folder: string): ChangeName {
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  const [, day, rest] = /^(\d{4}-\d{2}-\d{2})-(.+)$/.exec(name) ?? [];
  return rest === undefined ? { name, day: undefined } : { name: rest, day };
}

function readTask(folder: string, files: FilesByFolder, { name }: ChangeName, notes: SourceNote[]): SourceTask {
  const list = files.findText(folder, "tasks.md") ?? "";
  const proposal = splitTitle(files.findText(folder, "proposal.md") ?? "");
  const file = files.hasFile(folder, "proposal.md") ? `${folder}/proposal.md` : (files.findFirstPath(folder) ?? folder);
  const fields = readMetadata(folder, files, notes);
  if (!files.hasFile(folder, "tasks.md")) notes.push({ file, line: 1, reason: "change without tasks", detail: name });
  return {
    key: name,
    file,
    line: 1,
    title: parseTitle(proposal.title) ?? formatTitle(name),
    body: buildBodyText(folder, files, { proposal: proposal.rest, list }),
    status: computeChangeStatus(list),
    created: parseDay(getFieldText(fields, "created")),
    dependsOn: getFieldTexts(fields, "dependsOn"),
  };
}

function readMetadata(folder: string, files: FilesByFolder, notes: SourceNote[]): ForeignFields {
  const fields = readForeignYaml(files.findText(folder, ".openspec.yaml") ?? "");
  if (!("problem" in fields)) return fields;
  const { line, message } = fields.problem;
  notes.push({
    file: `${folder}/.openspec.yaml`,
    line,
    reason: "settings of a change that cannot be parsed",
    detail: message,
  });
  return NO_FIELDS;
}

/** Removes "Change:" from a proposal's heading; undefined for the heading "Proposal", which names nothing. */
function parseTitle(heading: string | undefined): string | undefined {
  const title = heading?.replace(/^(?:change|proposal)\s*(?:proposal)?\s*:\s*/i, "").trim();
  return title === undefined || title === "" || /^(?:change )?proposal$|^change$|^why$/i.test(title)
    ? undefined
    : title;
}

function computeChangeStatus(list: string): SourceTask["status"] {
  const boxes = [...list.matchAll(TASK_LINE_PATTERN)].map(([, , mark = ""]) => mark.toLowerCase() === "x");
  if (!boxes.includes(true)) return "pending";
  return boxes.includes(false) ? "in_progress" : "completed";
}

function buildBodyText(
  folder: string,
  files: FilesByFolder,
  { proposal, list }: { proposal: string; list: string },
): string {
  const criteria = demoteHeadings(splitTitle(list).rest, 3).replaceAll(
    TASK_LINE_PATTERN,
    (_line, indent: string, mark: string, text: string) => {
      return `${indent.replaceAll("\n", "")}- [${mark.toLowerCase() === "x" ? "x" : " "}] ${text}`;
    },
  );
  const design = splitTitle(files.findText(folder, "design.md") ?? "").rest;
  const deltas = files.listFileNames(folder).filter((name) => /^specs\/.+\.md$/.test(name));
  const parts = [
    proposal.replaceAll(/^(#+ +Acceptance Criteria)[ \t]*:?[ \t]*$/gim, "$1 of the proposal").trim(),
    criteria.trim() === "" ? "" : `## Acceptance Criteria\n\n${criteria.trim()}`,
    design.trim() === "" ? "" : `## Design\n\n${demoteHeadings(design, 3).trim()}`,
    ...deltas.map((name) => {
      const subject = name.replace(/^specs\//, "").replace(/(?:\/spec)?\.md$/, "");
      return `## Specification of ${subject}\n\n${demoteHeadings(splitTitle(files.findText(folder, name) ?? "").rest, 3).trim()}`;
    }),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}
