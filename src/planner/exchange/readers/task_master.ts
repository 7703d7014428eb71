import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { isJsonObject } from "#kernel/json_object.ts";
import { JsonRecord, type LocatedJson, listElements, parseJsonWithLines } from "../json_record.ts";
import { refuseUnparsed, type SourceFile, type SourceFormat, type SourceNote, type SourceTask } from "../source.ts";
import { buildBody, convertToCriteria, parsePriorityWord, parseStatusWord, type StatusMeaning } from "../words.ts";

/** Reads the tasks of Task Master from `tasks.json`, which holds one list per tag or one list without a tag. */
export const taskMasterFormat: SourceFormat = {
  kind: "task-master",
  name: "Task Master",
  folders: [".taskmaster", "tasks"],
  readFrom: "`.taskmaster/tasks/tasks.json`, or `tasks/tasks.json`",
  leavesOut: "complexity reports, settings, source documents",
  becomes: {
    "task 12, subtask 12.3":
      "`origin: task-master:12`; the subtask is a member. With other tags than master `task-master:<tag>/12` and the field `tag`",
    "`description`, `details`, `testStrategy`; `acceptanceCriteria`": "body, one section each; criteria, unchecked",
    "`dependencies`": "`depends_on`; within subtasks a plain number is a sibling",
  },
  matchesPaths: (paths) => paths.some((path) => path === "tasks/tasks.json" || path === "tasks.json"),
  matchesFile: (name, head) =>
    /\.json$/i.test(name) && /"tasks"\s*:\s*\[/.test(head) && /"(?:testStrategy|subtasks|dependencies)"\s*:/.test(head),
  readsPath: (path) => path === "tasks/tasks.json" || /^[^/]+\.json$/.test(path),
  readTasks(files) {
    const notes: SourceNote[] = [];
    const file = files.find(({ path }) => path.endsWith("tasks.json")) ?? files[0];
    return { tasks: file === undefined ? [] : readTasks(file, notes), notes };
  },
};

function readTasks({ path, text }: SourceFile, notes: SourceNote[]): readonly SourceTask[] {
  const json = parseJsonWithLines(text);
  if ("message" in json) {
    notes.push(refuseUnparsed({ file: path, line: json.line }, json.message));
    return [];
  }
  const tags = findTags(json);
  for (const { tag, node } of tags) {
    if (node.type === "array") continue;
    notes.push(refuseUnparsed({ file: path, line: json.findLine(node) }, `${tag}: expected tasks in a list`));
  }
  const lists = tags.filter(({ node }) => node.type === "array");
  const isTagged = lists.length > 1 || lists[0]?.tag !== "master";
  return lists.flatMap(({ tag, node }) => {
    const list = new TagReading({ file: path, prefix: isTagged ? `${tag}/` : "", tag, notes, json });
    return list.readTasks(node, undefined);
  });
}

/** Returns `tasks` of each tag. A list without a tag, as older versions wrote it, gets the tag master. */
function findTags({ root }: LocatedJson): readonly { readonly tag: string; readonly node: Node }[] {
  const single = findNodeAtLocation(root, ["tasks"]);
  if (single?.type === "array") return [{ tag: "master", node: single }];
  return (root.type === "object" ? (root.children ?? []) : []).flatMap(({ children: [name, value] = [] }) => {
    const node = value === undefined ? undefined : findNodeAtLocation(value, ["tasks"]);
    return name === undefined || node === undefined ? [] : [{ tag: String(getNodeValue(name)), node }];
  });
}

interface TagReadingInput {
  readonly file: string;
  readonly prefix: string;
  readonly tag: string;
  readonly notes: SourceNote[];
  readonly json: LocatedJson;
}

class TagReading {
  readonly #input: TagReadingInput;

  constructor(input: TagReadingInput) {
    this.#input = input;
  }

  /** @param parent number of the parent task if `node` is a subtask list */
  readTasks(node: Node, parent: string | undefined): readonly SourceTask[] {
    const { json, file, notes } = this.#input;
    const nodes = node.children ?? [];
    return listElements(node, json).flatMap(({ value, line }, at) => {
      const place = { file, line };
      if (!isJsonObject(value)) {
        notes.push(refuseUnparsed(place, "expected an object"));
        return [];
      }
      const record = new JsonRecord(value, place, notes);
      const id = record.getText("id");
      if (id === undefined) {
        record.addRefusal("no id", "expected a field id");
        return [];
      }
      const number = parent === undefined || id.startsWith(`${parent}.`) ? id : `${parent}.${id}`;
      const child = nodes[at];
      const subtasks = child === undefined ? undefined : findNodeAtLocation(child, ["subtasks"]);
      const parts = subtasks?.type === "array" ? this.readTasks(subtasks, number) : [];
      return [this.#buildTask(record, number, parent, parts.length > 0), ...parts];
    });
  }

  #buildTask(record: JsonRecord, number: string, parent: string | undefined, hasParts: boolean): SourceTask {
    const { prefix, tag } = this.#input;
    const priority = record.getText("priority");
    const known = priority === undefined ? undefined : parsePriorityWord(priority);
    if (priority !== undefined && known === undefined) record.addNote("unknown priority", priority);
    return {
      ...record.location,
      key: `${prefix}${number}`,
      title: record.getText("title") ?? number,
      body: buildBody(record.getText("description"), [
        ["Details", record.getText("details")],
        ["Acceptance Criteria", convertToCriteria(record.getText("acceptanceCriteria"))],
        ["Test Strategy", record.getText("testStrategy")],
      ]),
      ...this.#readStatus(record),
      type: hasParts ? "driver" : undefined,
      priority: known,
      created: record.getDay("createdAt"),
      assignees: [record.getText("assignee") ?? ""].filter((name) => name !== ""),
      labels: record.getTexts("tags"),
      dependsOn: record.getTexts("dependencies").map((id) => `${prefix}${resolveDependency(id, parent)}`),
      parent: parent === undefined ? undefined : `${prefix}${parent}`,
      fields: prefix === "" ? {} : { tag },
    };
  }

  #readStatus(record: JsonRecord): StatusMeaning {
    const word = record.getText("status");
    const known = word === undefined ? undefined : parseStatusWord(word);
    if (word !== undefined && known === undefined) record.addNote("unknown status, imported as pending", word);
    return known ?? { status: "pending", ...(word === undefined ? {} : { originStatus: word }) };
  }
}

/** Returns the key of a dependency. Within subtasks a plain number refers to a sibling. */
function resolveDependency(id: string, parent: string | undefined): string {
  return parent === undefined || id.includes(".") ? id : `${parent}.${id}`;
}
